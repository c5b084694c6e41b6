import { type Condition, type LruEntry, LruMap, type Row } from '#kernel/store'
import { type ScopeParameters, toConditionError } from '../errors/statement-errors.ts'
import { Compiler } from './compiler.ts'
import type { StatementBuilder } from './statement-builder.ts'

/** The text of a statement, and the slot that each of its parameters is read from. */
interface CompiledStatement {
  readonly sql: string
  readonly parameters: readonly ParameterSource[]
  readonly scoped: readonly ScopeParameters[]
  /** The statements of its owner. */
  readonly siblings: Map<string, KeptStatement>
  readonly shape: string
}

/** A statement that is kept until it is evicted. */
type KeptStatement = LruEntry<CompiledStatement>

/** How a parameter is read: the slot of its value, and a function of that value. Null if it is the value itself. */
export interface ParameterSource {
  readonly slot: number
  readonly read: ((value: never) => unknown) | null
}

/** A selection, relation or type, with the compiled statements that belong to it, by their shape. */
interface StatementOwner {
  statements?: Map<string, KeptStatement>
}

declare module '#kernel/store' {
  interface SelectionParts extends StatementOwner {}
  interface Relation extends StatementOwner {}
  interface ResourceType extends StatementOwner {}
}

/** Writes the text of a statement. `where` are the conditions of the statement. */
type Compile = (compiler: Compiler, where: readonly Condition[]) => string

/** Statements that are compiled for all applications of the process. Beyond it, the least recently used one is evicted. */
export const maxStatements = 2_000
const statements = new LruMap<CompiledStatement, CompiledStatement>()

export function countCachedStatements(): number {
  return statements.size
}

/**
 * Runs a statement. Its text is compiled once for its owner and shape; such statements only differ in their parameters. The
 * `owner` keeps the text. `write`: the statement that writes the subject of an operation.
 */
export function runStatement(
  owner: StatementOwner,
  statement: StatementBuilder,
  compile: Compile,
  kind: 'read' | 'write' = 'read',
): Promise<Row[]> {
  const { unit, conditions, scopes, shape } = statement
  let parameters: unknown[] = []
  let compiled: Pick<CompiledStatement, 'sql' | 'scoped'> | undefined
  const kept = owner.statements?.get(shape)
  if (kept) {
    kept.isUsed = true
    compiled = kept.value
    for (const { slot, read } of kept.value.parameters) {
      const value = statement.values[slot]
      parameters.push(read === null ? value : read(value as never))
    }
  } else {
    const compiler = new Compiler(unit, scopes, statement.values)
    compiled = { sql: compile(compiler, conditions), scoped: compiler.scoped }
    parameters = compiler.parameters
    const { sources, isCacheable } = compiler
    if (isCacheable && sources.every((source) => source !== null))
      keep(owner, { ...compiled, parameters: sources, shape })
  }
  const { sql, scoped } = compiled
  const rows = kind === 'write' ? unit.runWrite(sql, parameters) : unit.run(sql, parameters)
  if (scoped.length === 0 && conditions.length === 0) return rows
  return rows.catch((error) => {
    throw toConditionError(error, scoped, { where: conditions, scopes })
  })
}

function keep(owner: StatementOwner, compiled: Omit<CompiledStatement, 'siblings'>): void {
  owner.statements ??= new Map()
  const siblings = owner.statements
  const added = { ...compiled, siblings }
  const evicted = statements.size >= maxStatements ? statements.evict() : undefined
  evicted?.siblings.delete(evicted.shape)
  siblings.set(added.shape, statements.set(added, added, maxStatements))
}
