import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Database } from '../connection/types.ts'
import { inTransaction } from '../transaction/begin.ts'
import { createRandom, type Random } from './random.ts'
import { continueSequences, emptyTables } from './tables.ts'

/** The default export of `resources/<type>/seed.ts`. */
export interface Seed {
  /** Types whose seeds run first; unknown types are ignored. */
  readonly after?: readonly string[]
  run(context: SeedContext): Promise<void>
  /** Inserts demo rows; tests do not load them. */
  demo?(context: SeedContext): Promise<void>
  /** Inserts one unit of generated rows for benchmarks and returns the row count. */
  bulk?(context: BulkContext): Promise<number>
}

export interface SeedContext {
  readonly em: SqlEntityManager
}

export interface BulkContext {
  readonly em: SqlEntityManager
  /** Number of the unit, from 0. */
  readonly unit: number
  /** Returns the random values of a row, numbered from 0 over all units. */
  readonly random: (row: number) => Random
}

export interface NamedSeed {
  readonly name: string
  readonly seed: Seed
}

/** Empties all tables, loads the seeds, then `scale` units of generated rows, each in its own transaction. */
export async function seed(
  database: Database,
  seeds: readonly NamedSeed[],
  { scale = 0, demo = false } = {},
): Promise<void> {
  const { em } = database.orm
  const ordered = sortByDependency(seeds)
  await inTransaction(em.fork(), (em) => loadSeed(em, ordered, { demo }))
  for (let unit = 0; unit < scale; unit++) await inTransaction(em.fork(), (em) => loadUnit(em, ordered, unit))
  if (scale > 0) await continueSequences(em.fork())
}

/** Empties all tables and loads the seeds, in the transaction of the entity manager. */
export async function loadSeed(
  em: SqlEntityManager,
  seeds: readonly NamedSeed[],
  options: SeedOptions = {},
): Promise<void> {
  await emptyTables(em)
  await runSeeds(em, seeds, options)
}

interface SeedOptions {
  /** Whether `demo` of the seeds runs, too. */
  readonly demo?: boolean
}

/** Loads the seeds into empty tables. */
export async function runSeeds(
  em: SqlEntityManager,
  seeds: readonly NamedSeed[],
  { demo = false }: SeedOptions = {},
): Promise<void> {
  for (const { seed } of sortByDependency(seeds)) {
    await seed.run({ em })
    if (demo) await seed.demo?.({ em })
  }
  await continueSequences(em)
}

/** Orders the seeds by `after`; otherwise keeps the given order. Throws if they depend on each other in a cycle. */
function sortByDependency(seeds: readonly NamedSeed[]): NamedSeed[] {
  const ordered = new Set<NamedSeed>()
  const visit = (next: NamedSeed, path: readonly string[]) => {
    if (path.includes(next.name)) throw new Error(`Seeds depend on each other: ${[...path, next.name].join(' → ')}.`)
    const dependencies = seeds.filter(({ name }) => next.seed.after?.includes(name))
    for (const dependency of dependencies) visit(dependency, [...path, next.name])
    ordered.add(next)
  }
  for (const namedSeed of seeds) visit(namedSeed, [])
  return [...ordered]
}

async function loadUnit(em: SqlEntityManager, seeds: readonly NamedSeed[], unit: number): Promise<void> {
  for (const { name, seed } of seeds) await seed.bulk?.({ em, unit, random: (row) => createRandom(name, row) })
}
