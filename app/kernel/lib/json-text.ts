/** A serialized part of a document, in pieces. */
export class JsonText {
  readonly pieces: readonly string[]

  constructor(text: string | readonly string[]) {
    this.pieces = typeof text === 'string' ? [text] : text
  }

  toJSON(): unknown {
    return JSON.parse(this.pieces.join(''))
  }
}

/** Serializes a value; undefined and non-finite numbers become null. */
export function write(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return special.test(value) ? JSON.stringify(value) : `"${value}"`
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      return value === null ? 'null' : JSON.stringify(value)
    default:
      return JSON.stringify(value) ?? 'null'
  }
}

/** Matches the characters that JSON escapes. */
export const special = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

export function quote(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** The text of a JSON string without its quotes. */
export function inQuotes(text: string): string {
  return special.test(text) ? JSON.stringify(text).slice(1, -1) : text
}

/** Serializes a list, in pieces of at least `pieceLength` characters. */
export function writeList<Item>(items: readonly Item[], writeItem: (item: Item) => string): JsonText {
  const pieces: string[] = []
  let text = '['
  for (let index = 0; index < items.length; index++) {
    if (text.length > pieceLength) {
      pieces.push(text)
      text = ''
    }
    text += (index > 0 ? ',' : '') + writeItem(items[index] as Item)
  }
  pieces.push(`${text}]`)
  return new JsonText(pieces)
}

/** Up to this length, one string is faster than pieces. */
const pieceLength = 8_192

/**
 * Serializes a document, of which parts may be serialized already. A long document is encoded piece by piece: one string
 * would be copied several times, at double width if it has one wide character.
 * perf: 50 albums with include, CPU 17.5 → 12.2 ms.
 */
export function writeDocument(document: object): string | Buffer {
  const texts: string[] = []
  const text = appendMembers(texts, '', document as Readonly<Record<string, unknown>>)
  if (texts.length === 0 && text.length <= pieceLength) return text
  return encode([...texts, text])
}

/** Adds the members of an object to the open text, which it returns. Texts that are long enough are added to the list. */
function appendMembers(texts: string[], open: string, object: Readonly<Record<string, unknown>>): string {
  let text = open
  let start = '{'
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    text += `${start}${JSON.stringify(name)}:`
    start = ','
    if (value instanceof JsonText) text = appendPieces(texts, text, value.pieces)
    else if (Array.isArray(value)) text = appendItems(texts, text, value)
    else text += JSON.stringify(value) ?? 'null'
  }
  return `${text}${start === '{' ? '{}' : '}'}`
}

function appendPieces(texts: string[], open: string, pieces: readonly string[]): string {
  let text = open
  for (const piece of pieces) {
    if (text.length > pieceLength) {
      texts.push(text)
      text = ''
    }
    text += piece
  }
  return text
}

/** A serialized part is a member of the document, or of an object in a list of the document. */
function appendItems(texts: string[], open: string, items: readonly unknown[]): string {
  let text = `${open}[`
  for (const [index, item] of items.entries()) {
    if (index > 0) text += ','
    if (hasSerializedMember(item)) text = appendMembers(texts, text, item)
    else if (item instanceof JsonText) text = appendPieces(texts, text, item.pieces)
    else text += write(item)
  }
  return `${text}]`
}

function hasSerializedMember(item: unknown): item is Record<string, unknown> {
  if (typeof item !== 'object' || item === null) return false
  for (const name in item) if ((item as Record<string, unknown>)[name] instanceof JsonText) return true
  return false
}

function encode(texts: readonly string[]): Buffer {
  let size = 0
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let end = 0
  for (const text of texts) end += bytes.write(text, end)
  return bytes
}
