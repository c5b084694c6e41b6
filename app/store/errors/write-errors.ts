import { ValidationError } from '@mikro-orm/core'
import {
  type ApiError,
  attributeValueInvalid,
  type Context,
  clientGeneratedIdAlreadyExists,
  conflict,
  type ErrorOptions,
  escapePointer,
  type MemberKey,
  phrase,
  type Relation,
  type ResourceType,
  resourceNotFound,
  StatementError,
  validationFailed,
} from '#kernel/store'
import { unitOf } from '../unit.ts'
import { isTargetMissing, toApiError } from './api-errors.ts'
import { isRetryable, readSqlState, type SqlError } from './sql-state.ts'
import { toStatementError } from './statement-errors.ts'
import { checkedColumn, columnsIn, referencedTable, violatedKey } from './violated-constraint.ts'
import {
  findColumn,
  malformedMember,
  mayBeInTable,
  unfitMember,
  type WrittenMember,
  writtenMember,
} from './written-members.ts'

/** Converts an error of the write of one resource: the columns in the SQL error become members and a pointer. */
export function toWriteError(error: unknown, type: ResourceType, context: Context): unknown {
  if (isRetryable(error) || error instanceof StatementError) return error
  return memberError(error as SqlError, type, context) ?? toApiError(error)
}

/** Null if the error is about no member of the resource. */
function memberError(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  switch (readSqlState(error)) {
    case '23505':
      return context.isRelationshipEndpoint ? linkageConflict(error) : uniqueViolation(error, type, context)
    case '23P01':
      return exclusionViolation(error, type, context)
    case '23503':
      return isTargetMissing(error) ? missingTarget(error, type, context) : null
    case '23502':
      return notNullViolation(error, type, context)
    case '23514':
      return checkViolation(error, type, context)
    case '22001':
    case '22003':
      return unfitValue(error, type, context)
    case '22007':
    case '22008':
    case '22015':
    case '22P02':
      return malformedValue(error, type, context)
    default:
      return refusedValue(error, type, context)
  }
}

/** Converts an error of a relationship change: a member deleted meanwhile becomes a 404 at its identifier. */
export function toRelationError(error: unknown, members: readonly MemberKey[], context: Context): unknown {
  if (isRetryable(error)) return error
  if (readSqlState(error) === '23505' && context.isRelationshipEndpoint) return linkageConflict(error)
  const { value } = violatedKey(error)
  const missing = isTargetMissing(error) && members.find(({ key }) => String(key) === value)
  return missing ? memberNotFound(missing) : toApiError(error)
}

/** Makes a unique violation of these columns retryable: a concurrent request has inserted the row, which the retry finds. */
export function toRetryableConflict(error: unknown, columns: readonly string[]): unknown {
  const violated = columnsIn(violatedKey(error).columns)
  const isRow = readSqlState(error) === '23505' && violated.toSorted().join() === columns.toSorted().join()
  return isRow
    ? Object.assign(new Error('The row was inserted concurrently.', { cause: error }), { code: '40001' })
    : error
}

/** The 409 of a request to a relationship URL. Its pointer is `/data`, because the request contains only linkage. */
function linkageConflict(cause?: unknown): ApiError {
  return conflict(
    { reason: phrase('A resource with the same value already exists.') },
    { source: { pointer: '/data' }, cause: toStatementError(cause) },
  )
}

function uniqueViolation(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  const { columns, value } = violatedKey(error)
  const [column, ...others] = columnsIn(columns)
  if (others.length === 0 && column === keyColumn(type) && mayBeInTable(type, error.table, context)) {
    return type.id.clientId === 'forbidden' ? null : duplicateId(type, value)
  }
  return valuesAreTaken(violatedMembers(error, type, context), error)
}

function exclusionViolation(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  const members = violatedMembers(error, type, context)
  if (members.length === 0) return null
  const names = members.map(({ name }) => name)
  const reason = phrase('A resource with conflicting values of {names} already exists.', { names })
  return conflict({ reason }, errorOptions(members, error))
}

/** The members in the columns of the violated constraint, without columns that no member has, such as that of a tenant. */
function violatedMembers(error: SqlError, type: ResourceType, context: Context): readonly WrittenMember[] {
  const { columns, value } = violatedKey(error)
  const members = columnsIn(columns).flatMap(
    (column) => writtenMember({ table: error.table, column, value }, type, context) ?? [],
  )
  return [...new Map(members.map((member) => [member.name, member])).values()]
}

/** Another row already refers to the target of a one-to-one relation. */
export function targetIsTaken(relation: Relation, { isRelationshipEndpoint }: Context): ApiError {
  const pointer = `/data/relationships/${escapePointer(relation.name)}/data`
  return isRelationshipEndpoint ? linkageConflict() : (valuesAreTaken([{ name: relation.name, pointer }]) as ApiError)
}

function valuesAreTaken(members: readonly WrittenMember[], cause?: unknown): ApiError | null {
  const names = members.map(({ name }) => name)
  const [name] = names
  if (name === undefined) return null
  const reason =
    names.length === 1
      ? phrase('The value of {name} is already taken.', { name })
      : phrase('The combination of {names} is already taken.', { names })
  return conflict({ reason }, errorOptions(members, cause))
}

/** The pointer of the first member that was sent. */
function errorOptions(members: readonly WrittenMember[], cause: unknown): ErrorOptions {
  const pointer = members.find((member) => member.pointer !== undefined)?.pointer
  return { ...(pointer !== undefined && { source: { pointer } }), cause: toStatementError(cause) }
}

export function duplicateId(type: ResourceType, key: unknown): ApiError {
  return clientGeneratedIdAlreadyExists(
    { type: type.name, id: type.codec.encode(key) },
    { source: { pointer: '/data/id' } },
  )
}

/** A 404 for a row that a foreign key refers to and that was deleted meanwhile, or never existed. */
function missingTarget(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  const { columns: column, value } = violatedKey(error)
  const isOwn = mayBeInTable(type, error.table, context)
  const relation = isOwn && type.relations.find(({ property }) => findColumn(property, type) === column)
  const member =
    isOwn && column === keyColumn(type) ? sentId(context) : writtenMember({ table: error.table, column }, type, context)
  if (!member) return null
  const target = relation ? relation.target : typeOfTable(referencedTable(error), context)
  const { name } = member
  if (!target) {
    const message = phrase('The value of {name} refers to a row that does not exist.', { name })
    return validationFailed({ message }, errorOptions([member], error))
  }
  const id = relation ? target.codec.encode(value) : value
  return resourceNotFound({ type: target.name, id }, errorOptions([member], error))
}

function sentId({ sent }: Context): WrittenMember {
  return { name: 'id', pointer: sent?.id === undefined ? undefined : '/data/id' }
}

/** A type of the server whose rows are in the table. */
function typeOfTable(table: string | undefined, context: Context): ResourceType | undefined {
  if (table === undefined) return undefined
  const { orm } = unitOf(context)
  const entity = [...orm.getMetadata()].find(({ tableName }) => tableName === table)?.class
  return [...context.server.types.values()].find((type) => !type.isStandalone && type.entity === entity)
}

export function memberNotFound({ type, key, pointer }: MemberKey): ApiError {
  return resourceNotFound({ type: type.name, id: type.codec.encode(key) }, { source: { pointer } })
}

function notNullViolation(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  const { table, column = '' } = error
  const member = writtenMember({ table, column }, type, context)
  if (!member) return null
  const { name, pointer = context.sent && '/data' } = member
  const message = phrase('A value for {name} is required.', { name })
  return validationFailed({ message }, errorOptions([{ name, pointer }], error))
}

function checkViolation(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  const member = writtenMember({ table: error.table, column: checkedColumn(error) }, type, context)
  if (!member) return null
  const { name } = member
  return validationFailed(
    { message: phrase('The value of {name} is not allowed.', { name }) },
    errorOptions([member], error),
  )
}

/** A text that is too long, or a number that is too large, if no rule has rejected it. */
function unfitValue(error: SqlError, type: ResourceType, context: Context): ApiError | null {
  const member = unfitMember(type, context)
  return member && attributeValueInvalid({ attribute: member.name }, errorOptions([member], error))
}

/** A text that is not of the type of its column. */
function malformedValue(error: unknown, type: ResourceType, context: Context): ApiError | null {
  const member = malformedMember(type, context)
  return member && attributeValueInvalid({ attribute: member.name }, errorOptions([member], error))
}

/** A 422 for a value that MikroORM rejects before it sends a statement. Null if the error has another cause. */
function refusedValue(error: unknown, type: ResourceType, context: Context): ApiError | null {
  const isOfValue = /^(Trying to set|Invalid enum array items|Could not convert JS value)/
  if (!(error instanceof ValidationError) || !isOfValue.test(error.message)) return null
  const [, entity, property = ''] = /^Trying to set ([^.]+)\.(\S+)/.exec(error.message) ?? []
  const meta = [...unitOf(context).orm.getMetadata()].find(({ className }) => className === entity)
  const [column = ''] = meta?.properties[property as never]?.fieldNames ?? []
  const member = writtenMember({ table: meta?.tableName, column }, type, context)
  if (!member) return validationFailed({ message: phrase('A stored value is not allowed.') }, { cause: error })
  return attributeValueInvalid({ attribute: member.name }, errorOptions([member], error))
}

function keyColumn(type: ResourceType): string | undefined {
  return findColumn(type.id.property, type)
}
