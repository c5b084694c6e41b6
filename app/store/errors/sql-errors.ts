import createError from 'http-errors'
import {
  type ApiError,
  type Attribute,
  attributeValueInvalid,
  clientGeneratedIdAlreadyExists,
  conflict,
  escapePointer,
  phrase,
  type RelatedMember,
  type ResourceType,
  resourceNotFound,
  validationFailed,
} from '#kernel/store'

interface SqlError extends Error {
  readonly code?: string
  readonly detail?: string
  readonly column?: string
  /** The part of the server that refuses. */
  readonly routine?: string
}

/** The transaction is to be run again: serialization failure, deadlock, a table that has just been altered. */
export function isRetryable(error: unknown): boolean {
  return codeOf(error) === '40001' || isDeadlock(error) || isOutdated(error)
}

/** A statement was prepared when its columns had other types. Nothing of it was done. */
export function isOutdated(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as SqlError).routine === 'RevalidateCachedQuery'
}

/** Two transactions waited for each other, and this one was given up. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01'
}

/** What a failed statement means to a client, when nothing more is known about it. */
export function explain(error: unknown): unknown {
  const code = codeOf(error)
  if (isRetryable(error)) return unavailable(1)
  if (isUnreachable(error)) return unavailable(5)
  if (code === '23505') return conflict({ reason: phrase('A resource with the same value already exists.') })
  if (isStillReferred(code)) return conflict({ reason: phrase('Another resource still refers to this one.') })
  if (code === '23502' || code === '23514')
    return validationFailed({ message: phrase('A stored value is not allowed.') })
  // Too long for an index, which holds about a third of a page.
  if (code === '54000') return validationFailed({ message: phrase('A stored value is too long.') })
  if (code.startsWith('22')) return attributeValueInvalid({ attribute: 'unknown' })
  return error
}

/** The same for the write of one resource, naming the member where the database names the column. */
export function explainWrite(error: unknown, type: ResourceType): unknown {
  const { detail = '', column = '' } = error as SqlError
  // `Key (name)=(Ada) already exists.`; the sentence around it is in the language of the server.
  const [, key = '', value = ''] = /\((.+?)\)=\((.*)\)/.exec(detail) ?? []
  const code = codeOf(error)
  if (isRetryable(error)) return error
  if (code === '23505') return alreadyTaken(type, key, value) ?? explain(error)
  if (isStillReferred(code) && key && !isKey(key, type)) return goneMeanwhile(type, key, value)
  if (code === '23502') {
    const name = fieldOf(column, type)?.name ?? 'a member'
    return validationFailed(
      { message: phrase('A value for {name} is required.', { name }) },
      { source: { pointer: '/data' } },
    )
  }
  return explain(error)
}

/** The same for a change of members: one that is gone meanwhile is told at its identifier. */
export function explainRelation(error: unknown, members: readonly Omit<RelatedMember, 'rowChanges'>[]): unknown {
  const { detail = '' } = error as SqlError
  const [, , value = ''] = /\((.+?)\)=\((.*)\)/.exec(detail) ?? []
  if (isStillReferred(codeOf(error))) {
    const gone = members.find(({ key }) => String(key) === value)
    if (!gone) return explain(error)
    const { type, key, pointer } = gone
    return resourceNotFound({ type: type.name, id: type.codec.encode(key) }, { source: { pointer } })
  }
  return isRetryable(error) ? error : explain(error)
}

/** Somebody else made the row with these keys a moment ago: then the unit runs again, and finds it. */
export function foundMeanwhile(error: unknown, columns: readonly string[]): unknown {
  const [, taken = ''] = /\((.+?)\)=\(/.exec((error as SqlError).detail ?? '') ?? []
  const isRow = codeOf(error) === '23505' && taken.split(', ').toSorted().join() === columns.toSorted().join()
  return isRow ? Object.assign(new Error('The row was made meanwhile.', { cause: error }), { code: '40001' }) : error
}

function alreadyTaken(type: ResourceType, column: string, value: string): ApiError | null {
  if (isKey(column, type)) return type.id.clientId === 'forbidden' ? null : duplicateId(type, value)
  const field = fieldOf(column, type)
  if (!field) return null
  return conflict(
    { reason: phrase('The value of {name} is already taken.', { name: field.name }) },
    { source: { pointer: field.pointer } },
  )
}

export function duplicateId(type: ResourceType, key: unknown): ApiError {
  return clientGeneratedIdAlreadyExists(
    { type: type.name, id: type.codec.encode(key) },
    { source: { pointer: '/data/id' } },
  )
}

/** The related row was there a moment ago. */
function goneMeanwhile(type: ResourceType, column: string, key: string): ApiError {
  const relation = type.relations.find(({ property }) => columnOf(property, type) === column)
  if (!relation) return resourceNotFound({ type: 'unknown', id: key })
  const pointer = `/data/relationships/${escapePointer(relation.name)}/data`
  return resourceNotFound(
    { type: relation.target.name, id: relation.target.codec.encode(key) },
    { source: { pointer } },
  )
}

interface Place {
  readonly name: string
  readonly pointer: string
}

/** The member of a document that stands for a column, and where it is. */
function fieldOf(column: string, type: ResourceType): Place | null {
  const relation = type.relations.find(({ property }) => columnOf(property, type) === column)
  if (relation) return { name: relation.name, pointer: `/data/relationships/${escapePointer(relation.name)}/data` }
  return attributeOf(column, type, type.attributes, '/data/attributes')
}

function attributeOf(
  column: string,
  type: ResourceType,
  attributes: readonly Attribute[],
  parent: string,
): Place | null {
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

/** A foreign key without an action, or one that restricts: PostgreSQL 18 tells them apart. */
function isStillReferred(code: string): boolean {
  return code === '23503' || code === '23001'
}

function unavailable(seconds: number): Error {
  return createError(503, 'The database cannot answer at the moment.', { headers: { 'Retry-After': String(seconds) } })
}

/** Statement time-out, no connection to be had, connection lost; the driver says some of it without a code. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error)
  if (/^(08|53|57)|^(55P03|25P03)$/.test(code) || /^E(CONN|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH)/.test(code))
    return true
  const message = error instanceof Error ? error.message : ''
  return hasNoConnection(error) || isUnanswered(error) || /Connection terminated|is not queryable/.test(message)
}

/** The driver has waited in vain: the connection is as good as lost. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** What the driver says then. */
export const noConnection = 'timeout exceeded when trying to connect'

/** All connections stayed in use, or none came about. */
export function hasNoConnection(error: unknown): boolean {
  return error instanceof Error && error.message === noConnection
}

/** The server has ended the statement, because it took too long. */
export function tookTooLong(error: unknown): boolean {
  return codeOf(error) === '57014'
}

function codeOf(error: unknown): string {
  const code = (error as SqlError | null)?.code
  return typeof code === 'string' ? code : ''
}
