import { type ErrorObject, type ErrorSource, shorten } from '#kernel/errors'
import { validLinks, writeDocument } from '#kernel/operations'
import type { Document } from '#kernel/plugin'

/** Characters of a detail. */
const maxDetail = 4000
/** Characters of a JSON pointer. */
const maxPointer = 1000

/** The limits of an error document; 0 is no limit. */
export interface ErrorLimits {
  readonly errors: number
  readonly bytes: number
}

/** Writes an error document within the limits. Drops errors that exceed them, and sets `meta.truncated` if it does. */
export function writeErrorDocument(
  document: Document,
  errors: readonly ErrorObject[],
  { errors: maxErrors, bytes }: ErrorLimits,
): string | Buffer {
  const kept = errors.slice(0, maxErrors > 0 ? maxErrors : errors.length).map(shortenError)
  const complete = { ...document, errors: kept }
  const text = writeDocument(kept.length < errors.length ? markTruncated(complete) : complete)
  if (bytes === 0 || Buffer.byteLength(text) <= bytes) return text
  const emptySize = Buffer.byteLength(writeDocument(markTruncated({ ...document, errors: [] })))
  return writeDocument(markTruncated({ ...document, errors: firstWithin(kept, bytes - emptySize) }))
}

function markTruncated(document: Document): Document {
  return { ...document, meta: { ...document.meta, truncated: true } }
}

/** Returns the first errors that fit into the number of bytes, at least one. */
function firstWithin(errors: readonly ErrorObject[], bytes: number): readonly ErrorObject[] {
  let left = bytes
  const end = errors.findIndex((error) => {
    left -= Buffer.byteLength(JSON.stringify(error)) + 1
    return left < 0
  })
  return errors.slice(0, Math.max(1, end))
}

/** Shortens texts, and leaves out links that are not valid. */
function shortenError(error: ErrorObject): ErrorObject {
  const { links, detail, source } = error
  return {
    ...error,
    ...(links && { links: validLinks(links, () => {}) }),
    ...(typeof detail === 'string' && { detail: shorten(detail, maxDetail) }),
    ...(source && { source: shortenSource(source) }),
  }
}

function shortenSource(source: ErrorSource): ErrorSource {
  if ('pointer' in source) return { pointer: shortenPointer(source.pointer) }
  return 'parameter' in source ? { parameter: shorten(source.parameter) } : source
}

/** Returns the pointer of the nearest parent that is short enough, because a cut pointer would be invalid. */
function shortenPointer(pointer: string): string {
  return pointer.length <= maxPointer ? pointer : pointer.slice(0, pointer.lastIndexOf('/', maxPointer))
}
