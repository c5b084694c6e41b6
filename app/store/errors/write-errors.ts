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
  validationFailed,
} from '#kernel/store'
import { codeOf, isRetryable, isTargetMissing, type SqlError, toApiError } from './sql-errors.ts'
import { columnOf, isTableOf, type WrittenMember, writtenMember } from './written-members.ts'

/** Converts an error of the write of one resource: the column in the SQL error becomes a pointer to the member. */
export function toWriteError(error: unknown, type: ResourceType, context: Context): unknown {
  const { columns, value } = violatedKey(error)
  const code = codeOf(error)
  if (isRetryable(error)) return error
  if (code === '23505') {
    return context.ofRelationship ? linkageConflict() : (uniqueViolation(error, type, context) ?? toApiError(error))
  }
  if (isTargetMissing(error) && columns) return missingRelated(type, columns, value, context)
  if (code === '23502') {
    const { table, column = '' } = error as SqlError
    const { name = 'a member', pointer = '/data' } = writtenMember({ table, column }, type, context) ?? {}
    return validationFailed({ message: phrase('A value for {name} is required.', { name }) }, { source: { pointer } })
  }
  return refusedValue(error, type, context) ?? toApiError(error)
}

/** A 422 for a value that MikroORM rejects before it sends a statement. Null if the error has another cause. */
function refusedValue(error: unknown, type: ResourceType, context: Context): ApiError | null {
  const isOfValue = /^(Trying to set|Invalid enum array items|Could not convert JS value)/
  if (!(error instanceof ValidationError) || !isOfValue.test(error.message)) return null
  const [, entity, property = ''] = /^Trying to set ([^.]+)\.(\S+)/.exec(error.message) ?? []
  const column = entity === type.shape.name ? columnOf(property, type) : undefined
  const member = column === undefined ? null : writtenMember({ table: undefined, column }, type, context)
  if (!member) return validationFailed({ message: phrase('A stored value is not allowed.') })
  return attributeValueInvalid({ attribute: member.name }, sourceOf(member))
}

/** Converts an error of a relationship change: a member deleted meanwhile becomes a 404 at its identifier. */
export function toRelationError(error: unknown, members: readonly MemberKey[], context: Context): unknown {
  if (isRetryable(error)) return error
  if (codeOf(error) === '23505' && context.ofRelationship) return linkageConflict()
  const { value } = violatedKey(error)
  const missing = isTargetMissing(error) && members.find(({ key }) => String(key) === value)
  return missing ? memberNotFound(missing) : toApiError(error)
}

/** The linkage of a request to a relationship URL breaks a unique constraint: it is the only cause that was sent. */
function linkageConflict(): ApiError {
  return conflict(
    { reason: phrase('A resource with the same value already exists.') },
    { source: { pointer: '/data' } },
  )
}

export function memberNotFound({ type, key, pointer }: MemberKey): ApiError {
  return resourceNotFound({ type: type.name, id: type.codec.encode(key) }, { source: { pointer } })
}

/** Makes a unique violation of these columns retryable: a concurrent request has inserted the row, which the retry finds. */
export function toRetryableConflict(error: unknown, columns: readonly string[]): unknown {
  const violated = namesIn(violatedKey(error).columns)
  const isRow = codeOf(error) === '23505' && violated.toSorted().join() === columns.toSorted().join()
  return isRow
    ? Object.assign(new Error('The row was inserted concurrently.', { cause: error }), { code: '40001' })
    : error
}

/** The columns and the value of the violated constraint. Empty if the error names none. */
function violatedKey(error: unknown): { readonly columns: string; readonly value: string } {
  // `Key (name)=(Ada) already exists.`; the words are in the language of the server.
  const [, columns = '', value = ''] = /\((.+?)\)=\((.*)\)/s.exec((error as SqlError).detail ?? '') ?? []
  return { columns, value }
}

/** The columns of a unique violation: `isbn, "order"`. Those of a foreign key violation have no quotes. */
function namesIn(columns: string): string[] {
  const names = columns.matchAll(/"((?:[^"]|"")+)"|[^\s,"][^,]*/g)
  return Array.from(names, ([name, quoted]) => quoted?.replaceAll('""', '"') ?? name)
}

function uniqueViolation(error: unknown, type: ResourceType, context: Context): ApiError | null {
  const { columns, value } = violatedKey(error)
  const { table } = error as SqlError
  const [column = '', ...others] = namesIn(columns)
  if (others.length > 0) return null
  if (isKey(column, type) && isTableOf(type, table, context))
    return type.id.clientId === 'forbidden' ? null : duplicateId(type, value)
  const member = writtenMember({ table, column, value }, type, context)
  return member && valueIsTaken(member)
}

/** Another row already refers to the target of a one-to-one relation. */
export function targetIsTaken(relation: Relation, { ofRelationship }: Context): ApiError {
  return ofRelationship ? linkageConflict() : valueIsTaken({ name: relation.name, pointer: pointerOf(relation) })
}

function valueIsTaken(member: WrittenMember): ApiError {
  const { name } = member
  return conflict({ reason: phrase('The value of {name} is already taken.', { name }) }, sourceOf(member))
}

function sourceOf({ pointer }: WrittenMember): Pick<ErrorOptions, 'source'> {
  return pointer === undefined ? {} : { source: { pointer } }
}

export function duplicateId(type: ResourceType, key: unknown): ApiError {
  return clientGeneratedIdAlreadyExists(
    { type: type.name, id: type.codec.encode(key) },
    { source: { pointer: '/data/id' } },
  )
}

/** Returns a 404 for a related row that was deleted after its lookup. */
function missingRelated(type: ResourceType, column: string, key: string, { ofRelationship }: Context): ApiError {
  const relation = type.relations.find(({ property }) => columnOf(property, type) === column)
  if (!relation) return resourceNotFound({ type: 'unknown', id: key })
  return memberNotFound({ type: relation.target, key, pointer: ofRelationship ? '/data' : pointerOf(relation) })
}

function pointerOf({ name }: Relation): string {
  return `/data/relationships/${escapePointer(name)}/data`
}

function isKey(column: string, type: ResourceType): boolean {
  return column === columnOf(type.id.property, type)
}
