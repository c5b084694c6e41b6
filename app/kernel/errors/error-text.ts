/** A value for a placeholder of an error detail: a text, a number, a list of names, or a phrase. */
export type ErrorValue = string | number | readonly string[] | Phrase

export type ErrorContext = Readonly<Record<string, ErrorValue>>

/** A translatable part of an error detail. */
export interface Phrase {
  /** The key of its translations. */
  readonly key: string
  readonly values: ErrorContext
  /** In English. */
  toString(): string
}

/** Creates a phrase. Its English words are a template and the key of its translations, unless a key is given. */
export function phrase(words: string, values: ErrorContext = {}, key = words): Phrase {
  return { key, values, toString: () => (key === words ? fillTemplate(words, values) : words) }
}

/** A text of the application, which is neither translated nor shortened. */
export function verbatim(text: string): Phrase {
  return { key: '', values: {}, toString: () => text }
}

/** Characters of a value in a detail. */
const maxEcho = 100
/** Characters of a value that is the whole detail. */
const maxSentence = 1000
/** Names of a list in a detail. */
const maxNames = 20

/** Fills `{placeholders}`. Shortens long texts and lists, because a client may have sent them. */
export function fillTemplate(template: string, context: ErrorContext): string {
  const longest = /^\{\w+\}$/.test(template) ? maxSentence : maxEcho
  return template.replace(/\{(\w+)\}/g, (placeholder, name) => toText(context[name] ?? placeholder, longest))
}

function toText(value: ErrorValue, longest: number): string {
  if (typeof value === 'string') return shorten(value, longest)
  return String(isNameList(value) ? listNames(value) : value)
}

export function isNameList(value: ErrorValue): value is readonly string[] {
  return Array.isArray(value)
}

/** The first names of a list, each shortened, and the number of the remaining names. */
export function listNames(names: readonly string[]): Phrase {
  const listed = names
    .slice(0, maxNames)
    .map((name) => shorten(name))
    .join(', ')
  const count = names.length - maxNames
  if (count <= 0) return verbatim(listed)
  const words = `${listed}, … and ${count.toLocaleString('en')} more`
  return phrase(words, { names: verbatim(listed), count }, '{names}, … and {count} more')
}

/** Cuts a long text, but not inside a surrogate pair. */
export function shorten(text: string, longest = maxEcho): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Shortens long values of the client inside the message of a library. */
export function shortenEchoes(message: string, echoes: readonly unknown[]): string {
  const long = echoes.filter((echo): echo is string => typeof echo === 'string' && echo.length > maxEcho)
  return long.reduce((text, echo) => text.replaceAll(echo, () => shorten(echo)), message)
}
