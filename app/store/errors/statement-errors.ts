import { type Condition, declaredNames, type ResourceType, StatementError } from '#kernel/store'
import { hasSqlState, readSqlState, type SqlError } from './sql-state.ts'

/** The parameters of a statement that belong to the scope of a type; counted from 1, as in the text. */
export interface ScopeParameters {
  readonly type: ResourceType
  readonly first: number
  readonly last: number
}

type Scopes = ReadonlyMap<ResourceType, readonly Condition[]>

/** The conditions of a statement that functions of the application may have returned. */
interface StatementConditions {
  readonly where: readonly Condition[]
  readonly scopes: Scopes
}

/**
 * Converts an error that a condition of the application causes: a value that does not fit its column, or a column, operator or
 * function that does not exist. Returns other errors unchanged, such as those about a value of the client.
 */
export function toConditionError(
  error: unknown,
  scoped: readonly ScopeParameters[],
  { where, scopes }: StatementConditions,
): unknown {
  const code = readSqlState(error)
  if (!/^(22|42)...$/.test(code)) return error
  const parameter = findParameterNumber(error as SqlError)
  const types = scoped.filter(({ first, last }) => parameter === null || (first <= parameter && parameter <= last))
  const ofFilters = declaredNames(where)
  // The innermost scope comes first: that of a related type inside the scope of another one.
  const [innermost] = types
  if (parameter !== null && innermost) return toStatementError(error, namesOfScopes([innermost], scopes))
  if (parameter !== null && ofFilters.length > 0) return toStatementError(error, ofFilters)
  return code.startsWith('42') ? toStatementError(error, [...namesOfScopes(types, scopes), ...ofFilters]) : error
}

/** Converts an error that the database reports for a statement. Returns other errors unchanged, such as those of the application. */
export function toStatementError(error: unknown, declaredBy: readonly string[] = []): unknown {
  if (!hasSqlState(error) || (error as SqlError).statement === undefined) return error
  const { stack = '', code = '', statement, constraint, table, column } = error as SqlError
  const names = { code, statement, constraint, table, column, declaredBy }
  const converted = new StatementError(messageWithoutValues(error as SqlError), names)
  const frames = stack.split('\n').filter((line) => /^ +at (?!.*(?:node_modules|node:|wasm:))/.test(line))
  converted.stack = [...new Set([...(converted.stack ?? '').split('\n'), ...frames])].join('\n')
  return converted
}

/**
 * The message without values of rows. In data exceptions everything between quotes is a value; MikroORM appends the detail. The
 * quotes depend on the language of the server.
 */
function messageWithoutValues({ message, code = '' }: SqlError): string {
  const [text = ''] = message.split('\n - detail: ')
  return code.startsWith('22') ? text.replace(/["«»„“”].*["«»„“”]/s, '"?"') : text
}

/** The parameter whose value has the wrong form: `unnamed portal parameter $2 = '…'`, in the language of the server. */
function findParameterNumber({ where = '' }: SqlError): number | null {
  const number = /^[^"'\n]*\$(\d+)(?: =|$)/.exec(where)?.[1]
  return number === undefined ? null : Number(number)
}

function namesOfScopes(scoped: readonly ScopeParameters[], scopes: Scopes): string[] {
  const types = new Set(scoped.map(({ type }) => type))
  return [...types].flatMap((type) => {
    const names = declaredNames(scopes.get(type) ?? [])
    return names.length > 0 ? names : [`scope of ${type.name}`]
  })
}
