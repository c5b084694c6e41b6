import type Koa from 'koa'
import {
  type ApiError,
  type ErrorContext,
  type ErrorObject,
  type ErrorValue,
  type ErrorWords,
  isNameList,
  listNames,
  phrase,
} from '#kernel/plugin'

/**
 * Words for errors, by code; an error without a code is found by its status, a phrase inside a detail by its key. What
 * is missing is said in English.
 */
export type ErrorMessages = Readonly<Record<string, ErrorWords>>

/** The domain `jsonapi_errors`: words by language. Those for `en` replace the built-in ones. */
export type JsonApiErrors = Readonly<Record<string, ErrorMessages>>

const english = 'en'

export class Translator {
  readonly #messages: JsonApiErrors
  readonly #languages: string[]

  constructor(messages: JsonApiErrors) {
    this.#messages = messages
    this.#languages = [...new Set([english, ...Object.keys(messages)])]
  }

  /** Whether answers differ by `Accept-Language`. */
  get isChoice(): boolean {
    return this.#languages.length > 1
  }

  /** The language a client understands best, and English when it understands none of ours. */
  languageOf(ctx: Koa.Context): string {
    return ctx.acceptsLanguages(this.#languages) || english
  }

  say(error: ApiError, language: string): ErrorObject {
    const messages = this.#messages[language]
    if (!messages) return error.toObject()
    return error.toObject(messages[error.definition.code], inWordsOf(messages, error.context))
  }

  /** The title of an error that has no code. */
  retitle(error: ErrorObject, language: string): ErrorObject {
    const title = error.code === undefined && this.#messages[language]?.[error.status]?.title
    return title ? { ...error, title } : error
  }
}

function inWordsOf(messages: ErrorMessages, context: ErrorContext): ErrorContext {
  return Object.fromEntries(Object.entries(context).map(([name, value]) => [name, translate(messages, value)]))
}

/** Phrases and lists of names in other words; what has none stays as it is. */
function translate(messages: ErrorMessages, value: ErrorValue): ErrorValue {
  if (typeof value !== 'object') return value
  const { key, values } = isNameList(value) ? listNames(value) : value
  const template = messages[key]?.detail
  return template === undefined ? value : phrase(template, inWordsOf(messages, values))
}
