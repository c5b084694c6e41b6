/** A part of a document that is written already, in pieces. */
export class JsonText {
  readonly pieces: readonly string[]

  constructor(text: string | readonly string[]) {
    this.pieces = typeof text === 'string' ? [text] : text
  }

  toJSON(): unknown {
    return JSON.parse(this.pieces.join(''))
  }
}

/** A JSON text; what has no value is null. */
export function write(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
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

const special = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

export function quote(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** Between the quotes. */
export function inQuotes(text: string): string {
  return special.test(text) ? JSON.stringify(text).slice(1, -1) : text
}

/** Texts as one list, in pieces that are not short. */
export function writeList<Item>(items: readonly Item[], writeItem: (item: Item) => string): JsonText {
  const pieces: string[] = []
  let text = '['
  for (let index = 0; index < items.length; index++) {
    if (text.length > shortText) {
      pieces.push(text)
      text = ''
    }
    text += (index > 0 ? ',' : '') + writeItem(items[index] as Item)
  }
  pieces.push(`${text}]`)
  return new JsonText(pieces)
}

/** Up to here a text is one string, which is flat and counted quickly. */
const shortText = 8_192

/**
 * A document as it is sent, of which parts may be written already. What is long becomes bytes piece by piece: as one string
 * it would be copied as a whole several times, and all of it at double width because of one wide character.
 */
export function writeDocument(document: object): string | Buffer {
  const texts = ['']
  appendMembers(texts, document as Readonly<Record<string, unknown>>)
  return texts.length === 1 ? (texts[0] as string) : encode(texts)
}

function appendMembers(texts: string[], object: Readonly<Record<string, unknown>>): void {
  let start = '{'
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    say(texts, `${start}${quote(name)}:`)
    append(texts, value)
    start = ','
  }
  say(texts, start === '{' ? '{}' : '}')
}

/** What is written already stands in a document, or in an object of a list there. */
function append(texts: string[], value: unknown): void {
  if (value instanceof JsonText) for (const piece of value.pieces) say(texts, piece)
  else if (Array.isArray(value)) appendItems(texts, value)
  else say(texts, write(value))
}

function appendItems(texts: string[], items: readonly unknown[]): void {
  say(texts, '[')
  items.forEach((item, index) => {
    if (index > 0) say(texts, ',')
    if (isWrittenIn(item)) appendMembers(texts, item)
    else append(texts, item)
  })
  say(texts, ']')
}

function isWrittenIn(item: unknown): item is Record<string, unknown> {
  if (typeof item !== 'object' || item === null) return false
  for (const name in item) if ((item as Record<string, unknown>)[name] instanceof JsonText) return true
  return false
}

function say(texts: string[], text: string): void {
  const last = texts.length - 1
  if ((texts[last] as string).length < shortText) texts[last] += text
  else texts.push(text)
}

function encode(texts: readonly string[]): Buffer {
  let size = 0
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let end = 0
  for (const text of texts) end += bytes.write(text, end)
  return bytes
}
