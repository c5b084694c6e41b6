import { type Context, getOrCreate, type Row } from '#kernel/store'
import type { DirectQuery } from '../connection/types.ts'
import { LruMap } from '../driver/lru-map.ts'
import { unitOf } from '../unit.ts'
import { Compiler } from './compiler.ts'
import type { StatementKey } from './statement-key.ts'

/** The text of a statement, and where each of its parameters is found among the things that are asked. */
interface Plan {
  readonly sql: string
  readonly sources: readonly Source[]
}

/** A parameter: the place of a thing, and how its value is read from it. */
export interface Source {
  readonly place: number
  readonly read: (thing: never) => unknown
}

/** Plans that are kept of one selection or relation; the least recently used one goes first. */
const maxPlans = 500
const plans = new WeakMap<object, LruMap<string, Plan>>()

/**
 * Runs the statement that is asked. Its text is written once for all that are of the same shape: the others only bring
 * their values. Plans are kept with what they are about, a selection or a relation, and go with it.
 */
export function runCached(
  about: object,
  asked: StatementKey,
  context: Context,
  write: (compiler: Compiler) => string,
  send?: DirectQuery,
): Promise<Row[]> {
  const unit = unitOf(context)
  const known = getOrCreate(plans, about, createPlans)
  const plan = known.get(asked.shape)
  if (plan) {
    const parameters = parametersOf(plan, asked)
    return send ? send(plan.sql, parameters) : unit.run(plan.sql, parameters)
  }
  const compiler = new Compiler(unit, asked.scopes, asked.sources)
  const sql = write(compiler)
  const sources = sourcesOf(compiler, asked)
  if (sources) known.set(asked.shape, { sql, sources }, maxPlans)
  return send ? send(sql, compiler.parameters) : unit.run(sql, compiler.parameters)
}

const createPlans = () => new LruMap<string, Plan>()

/** Null when the text or a value belongs to this statement alone, or may come from either of two places that others tell apart. */
function sourcesOf(
  { parameters, sources, isUnique }: Compiler,
  { sources: things }: StatementKey,
): readonly Source[] | null {
  if (isUnique) return null
  const found = parameters.map((_, index) => sources[index])
  const isClear = new Set(things).size === things.length
  return isClear && found.every((source) => source !== undefined) ? found : null
}

function parametersOf({ sources }: Plan, { sources: things }: StatementKey): unknown[] {
  const parameters: unknown[] = []
  for (const { place, read } of sources) parameters.push(read(things[place] as never))
  return parameters
}
