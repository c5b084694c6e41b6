import { type ErrorObject, type ErrorSource, shorten } from '../errors/errors.ts'
import { writeDocument } from '../lib/json-text.ts'
import type { Document } from '../model/document.ts'
import type { RequestLimits } from '../model/limits.ts'

/** Characters of a detail, whatever it was made from. */
const maxDetail = 4000
/** Characters of a JSON pointer. */
const maxPointer = 1000

/** Writes an error document within its limits. Errors that do not fit are left out, and `meta.truncated` is true then. */
export function writeErrorDocument(
  document: Document,
  errors: readonly ErrorObject[],
  { errors: maxErrors, errorBytes }: RequestLimits,
): string | Buffer {
  const shown = errors.slice(0, maxErrors > 0 ? maxErrors : errors.length).map(shortenError)
  const whole = { ...document, errors: shown }
  const text = writeDocument(shown.length < errors.length ? truncated(whole) : whole)
  if (errorBytes === 0 || Buffer.byteLength(text) <= errorBytes) return text
  const rest = Buffer.byteLength(writeDocument(truncated({ ...document, errors: [] })))
  return writeDocument(truncated({ ...document, errors: firstWithin(shown, errorBytes - rest) }))
}

function truncated(document: Document): Document {
  return { ...document, meta: { ...document.meta, truncated: true } }
}

/** The errors from the first on that have so many bytes together; never none. */
function firstWithin(errors: readonly ErrorObject[], bytes: number): readonly ErrorObject[] {
  let left = bytes
  const end = errors.findIndex((error) => {
    left -= Buffer.byteLength(JSON.stringify(error)) + 1
    return left < 0
  })
  return errors.slice(0, Math.max(1, end))
}

function shortenError(error: ErrorObject): ErrorObject {
  const { detail, source } = error
  return {
    ...error,
    ...(typeof detail === 'string' && { detail: shorten(detail, maxDetail) }),
    ...(source && { source: shortenSource(source) }),
  }
}

function shortenSource(source: ErrorSource): ErrorSource {
  if ('pointer' in source) return { pointer: shortenPointer(source.pointer) }
  return 'parameter' in source ? { parameter: shorten(source.parameter) } : source
}

/** The pointer of the nearest parent that is short enough: a part of a pointer would point at nothing. */
function shortenPointer(pointer: string): string {
  return pointer.length <= maxPointer ? pointer : pointer.slice(0, pointer.lastIndexOf('/', maxPointer))
}
