import { ValidationError } from '@mikro-orm/core'
import {
  type ApiError,
  type Attribute,
  attributeValueInvalid,
  type Context,
  clientGeneratedIdAlreadyExists,
  conflict,
  escapePointer,
  type MemberKey,
  phrase,
  type Relation,
  type ResourceType,
  resourceNotFound,
  validationFailed,
} from '#kernel/store'
import { codeOf, isRetryable, isTargetMissing, type SqlError, toApiError } from './sql-errors.ts'

/** Converts an error of the write of one resource: the column in the SQL error becomes a pointer to the member. */
export function toWriteError(error: unknown, type: ResourceType, context: Context): unknown {
  const { columns, value } = violatedKey(error)
  const code = codeOf(error)
  if (isRetryable(error)) return error
  if (code === '23505') {
    return context.ofRelationship ? linkageConflict() : (uniqueViolation(type, columns, value) ?? toApiError(error))
  }
  if (isTargetMissing(error) && columns) return missingRelated(type, columns, value, context)
  if (code === '23502') {
    const name = fieldOf((error as SqlError).column ?? '', type)?.name ?? 'a member'
    return validationFailed(
      { message: phrase('A value for {name} is required.', { name }) },
      { source: { pointer: '/data' } },
    )
  }
  return refusedValue(error, type) ?? toApiError(error)
}

/** A 422 for a value that MikroORM rejects before it sends a statement. Null if the error has another cause. */
function refusedValue(error: unknown, type: ResourceType): ApiError | null {
  const isOfValue = /^(Trying to set|Invalid enum array items|Could not convert JS value)/
  if (!(error instanceof ValidationError) || !isOfValue.test(error.message)) return null
  const [, entity, property = ''] = /^Trying to set ([^.]+)\.(\S+)/.exec(error.message) ?? []
  const column = entity === type.shape.name ? columnOf(property, type) : undefined
  const field = column === undefined ? null : fieldOf(column, type)
  if (!field) return validationFailed({ message: phrase('A stored value is not allowed.') })
  return attributeValueInvalid({ attribute: field.name }, { source: { pointer: field.pointer } })
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

function uniqueViolation(type: ResourceType, columns: string, value: string): ApiError | null {
  const [column = '', ...others] = namesIn(columns)
  if (others.length > 0) return null
  if (isKey(column, type)) return type.id.clientId === 'forbidden' ? null : duplicateId(type, value)
  const field = fieldOf(column, type)
  return field && valueIsTaken(field)
}

/** Another row already refers to the target of a one-to-one relation. */
export function targetIsTaken(relation: Relation, { ofRelationship }: Context): ApiError {
  return ofRelationship ? linkageConflict() : valueIsTaken({ name: relation.name, pointer: pointerOf(relation) })
}

function valueIsTaken({ name, pointer }: FieldLocation): ApiError {
  return conflict({ reason: phrase('The value of {name} is already taken.', { name }) }, { source: { pointer } })
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

interface FieldLocation {
  readonly name: string
  readonly pointer: string
}

/** Returns the name and pointer of the document member that is stored in the column. */
function fieldOf(column: string, type: ResourceType): FieldLocation | null {
  const relation = type.relations.find(({ property }) => columnOf(property, type) === column)
  if (relation) return { name: relation.name, pointer: pointerOf(relation) }
  return attributeOf(column, type, type.attributes, '/data/attributes')
}

function pointerOf({ name }: Relation): string {
  return `/data/relationships/${escapePointer(name)}/data`
}

function attributeOf(
  column: string,
  type: ResourceType,
  attributes: readonly Attribute[],
  parent: string,
): FieldLocation | null {
  for (const { name, property, on, children } of attributes) {
    const pointer = `${parent}/${escapePointer(name)}`
    if (!on && columnOf(property, type) === column) return { name, pointer }
    const child = attributeOf(column, type, children, pointer)
    if (child) return child
  }
  return null
}

function isKey(column: string, type: ResourceType): boolean {
  return column === columnOf(type.id.property, type)
}

function columnOf(property: string | null, type: ResourceType): string | undefined {
  return property === null ? undefined : type.shape.properties.get(property)?.column
}
