/** A part of a document that is written already. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
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

/** The text of a document, of which parts may be written already; put together by concatenation, which copies nothing. */
export function writeDocument(value: unknown): string {
  if (value instanceof JsonText) return value.text
  if (Array.isArray(value)) return `[${value.map(writeDocument).join()}]`
  if (!isEnvelope(value)) return write(value)
  let text = ''
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) text += `${text && ','}${quote(name)}:${writeDocument(member)}`
  }
  return `{${text}}`
}

/** Whether there may be something written in it. */
function isEnvelope(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  if ('jsonapi' in value) return true
  for (const name in value) if ((value as Record<string, unknown>)[name] instanceof JsonText) return true
  return false
}
