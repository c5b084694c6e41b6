import createError from 'http-errors'
import {
  type ApiError,
  attributeValueInvalid,
  clientGeneratedIdAlreadyExists,
  conflict,
  type ErrorOptions,
  escapePointer,
  type ResourceType,
  resourceNotFound,
  validationFailed,
} from '#kernel'

interface SqlError extends Error {
  readonly code?: string
  readonly detail?: string
  readonly column?: string
}

/** The database asks to run the transaction again: serialization failure, deadlock. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** What a failed statement means to a client, when nothing more is known about it. */
export function explain(error: unknown): unknown {
  const code = codeOf(error)
  if (isRetryable(error)) return unavailable(1)
  if (isUnreachable(error, code)) return unavailable(5)
  if (code === '23505') return conflict({ reason: 'A resource with the same value already exists.' })
  if (code === '23503') return conflict({ reason: 'Another resource still refers to this one.' })
  if (code === '23502' || code === '23514') return validationFailed({ message: 'A stored value is not allowed.' })
  if (code.startsWith('22')) return attributeValueInvalid({ attribute: 'unknown' })
  return error
}

/** The same for the write of one resource, naming the member where the database names the column. */
export function explainWrite(error: unknown, type: ResourceType): unknown {
  const { detail = '', column } = error as SqlError
  const [, key = '', value = ''] = /^Key \((.+?)\)=\((.*?)\) /.exec(detail) ?? []
  const code = codeOf(error)
  if (isRetryable(error)) return error
  if (code === '23505') {
    if (memberOf(key, type) === 'id') return duplicateId(type, value)
    return conflict({ reason: `The value of ${key} is already taken.` }, at(key, type))
  }
  if (code === '23503' && detail.includes('is not present')) return goneMeanwhile(type, key, value)
  if (code === '23502')
    return validationFailed({ message: `A value for ${column} is required.` }, at(column ?? '', type))
  return explain(error)
}

export function duplicateId(type: ResourceType, key: unknown): ApiError {
  return clientGeneratedIdAlreadyExists(
    { type: type.name, id: type.codec.encode(key) },
    { source: { pointer: '/data/id' } },
  )
}

/** The related row was there a moment ago. */
function goneMeanwhile(type: ResourceType, column: string, key: string): ApiError {
  const relation = type.relations.find(
    ({ property }) => property && type.shape.properties.get(property)?.column === column,
  )
  const source = relation && { source: { pointer: `/data/relationships/${escapePointer(relation.name)}/data` } }
  return resourceNotFound({ type: relation?.targetNames[0] ?? 'unknown', id: key }, source)
}

function at(column: string, type: ResourceType): ErrorOptions {
  const member = memberOf(column, type)
  return member ? { source: { pointer: `/data/attributes/${escapePointer(member)}` } } : {}
}

function memberOf(column: string, type: ResourceType): string | undefined {
  const columnOf = (property: string | null) => property && type.shape.properties.get(property)?.column
  if (column === columnOf(type.id.property)) return 'id'
  return type.attributes.find(({ property }) => columnOf(property) === column)?.name
}

function unavailable(seconds: number): Error {
  return createError(503, 'The database cannot answer at the moment.', { headers: { 'Retry-After': String(seconds) } })
}

/** Statement time-out, no connection to be had, connection lost; the last two come without a code. */
function isUnreachable(error: unknown, code: string): boolean {
  const known = ['57014', '57P01', '57P03', '53300', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND']
  if (known.includes(code) || code.startsWith('08')) return true
  const message = error instanceof Error ? error.message : ''
  return /timeout exceeded when trying to connect|Connection terminated/.test(message)
}

function codeOf(error: unknown): string {
  const code = (error as SqlError | null)?.code
  return typeof code === 'string' ? code : ''
}
