import { type Condition, type Context, LruMap, type Row } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { type ScopeParameters, toConditionError } from '../errors/statement-errors.ts'
import { unitOf } from '../unit.ts'
import { Compiler } from './compiler.ts'
import type { Statement } from './statement.ts'

/** The text of a statement, and the slot that each of its parameters is read from. */
interface CompiledStatement {
  readonly sql: string
  readonly parameters: readonly ParameterSource[]
  readonly scoped: readonly ScopeParameters[]
}

/** How a parameter is read: the slot of its value, and a function of that value. */
export interface ParameterSource {
  readonly slot: number
  readonly read: (value: never) => unknown
}

/** Writes the text of a statement. `where` are the conditions of the statement. */
export type Compile = (compiler: Compiler, where: readonly Condition[]) => string

/** Statements that are cached by all applications of the process. Beyond it, the least recently used one is evicted. */
export const maxStatements = 2_000
const statements = new LruMap<string, CompiledStatement>()
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
 * Runs a statement. Its text is compiled once per shape; statements with the same shape only differ in their parameters. The
 * `owner`, a selection, relation or type, is part of the shape. `isOnlyStatement`: no other statement of the request writes.
 */
export function runStatement(
  owner: object,
  statement: Statement,
  context: Context,
  compile: Compile,
  isOnlyStatement = false,
): Promise<Row[]> {
  const unit = unitOf(context)
  const key = `${ownerIds.get(owner) ?? ownerId(owner)}|${statement.shape}`
  let compiled = statements.get(key)
  if (!compiled || uncached.has(unit.orm)) {
    const { where, scopes } = statement.slotted
    const compiler = new Compiler(unit, scopes)
    const sql = compile(compiler, where)
    const { parameters, sources, scoped, isCacheable } = compiler
    if (!isCacheable || !sources.every((source) => source !== null)) return send(sql, parameters, scoped)
    compiled = { sql, parameters: sources, scoped }
    statements.set(key, compiled, maxStatements)
  }
  const values: unknown[] = []
  for (const { slot, read } of compiled.parameters) values.push(read(statement.values[slot] as never))
  return send(compiled.sql, values, compiled.scoped)

  function send(sql: string, parameters: readonly unknown[], scoped: readonly ScopeParameters[]): Promise<Row[]> {
    const { conditions, scopes } = statement
    const rows = isOnlyStatement ? unit.runAlone(sql, parameters) : unit.run(sql, parameters)
    if (scoped.length === 0 && conditions.length === 0) return rows
    return rows.catch((error) => {
      throw toConditionError(error, scoped, { where: conditions, scopes })
    })
  }
}

/** A number for an object that the text of a statement depends on. */
export function ownerId(owner: object): number {
  let id = ownerIds.get(owner)
  if (id === undefined) {
    id = ownerCount++
    ownerIds.set(owner, id)
  }
  return id
}
