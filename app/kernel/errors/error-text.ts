/** A value of an error's template: a text to echo, a number, names to list, or a phrase of its own. */
export type ErrorValue = string | number | readonly string[] | Phrase

export type ErrorContext = Readonly<Record<string, ErrorValue>>

/** A part of a sentence that other languages have their own words for. */
export interface Phrase {
  /** What those are found by. */
  readonly key: string
  readonly values: ErrorContext
  /** In English. */
  toString(): string
}

/** The words themselves are the key, unless another is told. */
export function phrase(words: string, values: ErrorContext = {}, key = words): Phrase {
  const isTold = key !== words
  return { key, values, toString: () => (isTold ? words : fillTemplate(words, values)) }
}

/** A sentence of the application itself: neither translated nor shortened. */
export function verbatim(text: string): Phrase {
  return { key: '', values: {}, toString: () => text }
}

/** Characters of a value that an error echoes. */
const maxEcho = 100
/** Characters of a value that makes up a whole detail: a sentence of the application. */
const maxSentence = 1000
/** Names that a detail lists. */
const maxNames = 20

/** Fills `{placeholders}`. Long texts are shortened, because a client may have sent them; long lists as well. */
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

/** The first names of a list, each shortened, and the number of the others. */
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

/** The beginning of a text that is too long to be echoed. Never ends in half of a surrogate pair. */
export function shorten(text: string, longest = maxEcho): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A message of a library that may repeat what the client sent: long texts in it are shortened. */
export function shortenEchoes(message: string, echoes: readonly unknown[]): string {
  const long = echoes.filter((echo): echo is string => typeof echo === 'string' && echo.length > maxEcho)
  return long.reduce((text, echo) => text.replaceAll(echo, () => shorten(echo)), message)
}
