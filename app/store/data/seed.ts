import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Database } from '../connection/types.ts'
import { createRandom, type Random } from './random.ts'
import { continueSequences, emptyTables } from './tables.ts'

/** The default export of `resources/<type>/seed.ts`. */
export interface Seed {
  /** Types whose rows must be there first; one that does not exist is passed over. */
  readonly after?: readonly string[]
  run(context: SeedContext): Promise<void>
  /** Inserts one unit of generated rows for benchmarks and returns their number. */
  bulk?(context: BulkContext): Promise<number>
}

export interface SeedContext {
  readonly em: SqlEntityManager
  readonly scale: number
}

export interface BulkContext {
  readonly em: SqlEntityManager
  /** Counts from 0. */
  readonly unit: number
  /** The draws of one row, which counts from 0 over all units. */
  readonly random: (row: number) => Random
}

export interface NamedSeed {
  readonly name: string
  readonly seed: Seed
}

/** Empties all tables and loads the demo data, then `scale` units of generated rows, each in a transaction. */
export async function seed(database: Database, seeds: readonly NamedSeed[], { scale = 0 } = {}): Promise<void> {
  const { em } = database.orm
  const ordered = inOrder(seeds)
  await em.fork().transactional(async (em) => {
    await emptyTables(em)
    for (const { seed } of ordered) await seed.run({ em, scale })
    await continueSequences(em)
  })
  for (let unit = 0; unit < scale; unit++) await em.fork().transactional((em) => loadUnit(em, ordered, unit))
  if (scale > 0) await continueSequences(em.fork())
}

/** Each after those it names; otherwise in the given order. */
function inOrder(seeds: readonly NamedSeed[]): NamedSeed[] {
  const ordered = new Set<NamedSeed>()
  const visit = (next: NamedSeed, path: readonly string[]) => {
    if (path.includes(next.name)) throw new Error(`Seeds wait for one another: ${[...path, next.name].join(' → ')}.`)
    const before = seeds.filter(({ name }) => next.seed.after?.includes(name))
    for (const one of before) visit(one, [...path, next.name])
    ordered.add(next)
  }
  for (const one of seeds) visit(one, [])
  return [...ordered]
}

async function loadUnit(em: SqlEntityManager, seeds: readonly NamedSeed[], unit: number): Promise<void> {
  for (const { name, seed } of seeds) await seed.bulk?.({ em, unit, random: (row) => createRandom(name, row) })
}
