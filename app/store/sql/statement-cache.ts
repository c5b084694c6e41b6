import { type Context, getOrCreate, LruMap, type Row } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { type ScopeParameters, toConditionError } from '../errors/statement-errors.ts'
import { unitOf } from '../unit.ts'
import { Compiler } from './compiler.ts'
import type { StatementKey } from './statement-key.ts'

/** The text of a statement, and the source of each of its parameters. */
interface CachedStatement {
  readonly sql: string
  readonly sources: readonly ParameterSource[]
  readonly scoped: readonly ScopeParameters[]
}

/** How a parameter is read: the index of its source in the statement key, and a function of that source. */
export interface ParameterSource {
  readonly index: number
  readonly read: (source: never) => unknown
}

/** Statements that are cached by all applications of the process. Beyond it, the least recently used one is evicted. */
export const maxStatements = 2_000
const statements = new LruMap<string, CachedStatement>()
const ownerIds = new WeakMap<object, number>()
let ownerCount = 0
const uncached = new WeakSet<Orm>()

/** Compiles every statement for the database again. Tests compare its responses with those of cached statements. */
export function disableStatementCache(orm: Orm): void {
  uncached.add(orm)
}

export function countCachedStatements(): number {
  return statements.size
}

/**
 * Runs a statement. Its text is compiled once per key; statements with the same key only differ in their parameters. The
 * `owner`, a selection, relation or type, is part of the key. `isOnlyStatement`: no other statement of the request writes.
 */
export function runCached(
  owner: object,
  key: StatementKey,
  context: Context,
  compile: (compiler: Compiler) => string,
  isOnlyStatement = false,
): Promise<Row[]> {
  const unit = unitOf(context)
  const run = (sql: string, parameters: readonly unknown[], scoped: readonly ScopeParameters[]) => {
    const rows = isOnlyStatement ? unit.runAlone(sql, parameters) : unit.run(sql, parameters)
    if (scoped.length === 0 && key.where.length === 0) return rows
    return rows.catch((error) => {
      throw toConditionError(error, scoped, key)
    })
  }
  const cacheKey = `${getOrCreate(ownerIds, owner, nextOwnerId)}|${key.shape}`
  const cached = statements.get(cacheKey)
  if (cached && !uncached.has(unit.orm)) return run(cached.sql, parametersOf(cached, key), cached.scoped)
  const compiler = new Compiler(unit, key.scopes, key.sources)
  const sql = compile(compiler)
  const sources = cacheableSources(compiler, key)
  const { parameters, scoped } = compiler
  if (sources) statements.set(cacheKey, { sql, sources, scoped }, maxStatements)
  return run(sql, parameters, scoped)
}

const nextOwnerId = () => ownerCount++

/**
 * Null if the statement cannot be cached: its text depends on more than the key, a parameter has no source in the key, or
 * two sources are the same object, so that their parameters cannot be told apart.
 */
function cacheableSources(
  { parameters, sources, isCacheable }: Compiler,
  { sources: keySources }: StatementKey,
): readonly ParameterSource[] | null {
  if (!isCacheable || new Set(keySources).size < keySources.length) return null
  const found = parameters.map((_, index) => sources[index])
  return found.every((source) => source !== undefined) ? found : null
}

function parametersOf({ sources }: CachedStatement, { sources: keySources }: StatementKey): unknown[] {
  const parameters: unknown[] = []
  for (const { index, read } of sources) parameters.push(read(keySources[index] as never))
  return parameters
}
