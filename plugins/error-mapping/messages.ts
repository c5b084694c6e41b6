import type Koa from 'koa'
import {
  type ApiError,
  type ErrorContext,
  type ErrorObject,
  type ErrorTexts,
  type ErrorValue,
  isNameList,
  listNames,
  phrase,
} from '#kernel/errors'

/**
 * Titles and details of one language, by error code. Errors without a code are found by status, phrases inside a detail
 * by their key. Missing entries fall back to English.
 */
export type ErrorMessages = Readonly<Record<string, ErrorTexts>>

/** Messages by language. Messages for `en` replace the built-in texts. */
export type JsonApiErrors = Readonly<Record<string, ErrorMessages>>

const english = 'en'

export class Translator {
  readonly #messages: JsonApiErrors
  readonly #languages: string[]

  constructor(messages: JsonApiErrors) {
    this.#messages = messages
    this.#languages = [...new Set([english, ...Object.keys(messages)])]
  }

  /** True if responses vary by `Accept-Language`. */
  get hasSeveralLanguages(): boolean {
    return this.#languages.length > 1
  }

  /** Returns the language the client prefers; English if it accepts none of the available ones. */
  chooseLanguage(ctx: Koa.Context): string {
    return ctx.acceptsLanguages(this.#languages) || english
  }

  translate(error: ApiError, language: string): ErrorObject {
    const messages = this.#messages[language]
    if (!messages) return error.toObject()
    return error.toObject(messages[error.definition.code], translateContext(messages, error.context))
  }

  /** Translates the title of an error without a code. */
  retitle(error: ErrorObject, language: string): ErrorObject {
    const title = error.code === undefined && this.#messages[language]?.[error.status]?.title
    return title ? { ...error, title } : error
  }
}

function translateContext(messages: ErrorMessages, context: ErrorContext): ErrorContext {
  return Object.fromEntries(Object.entries(context).map(([name, value]) => [name, translateValue(messages, value)]))
}

/** Translates phrases and lists of names; returns values without a translation unchanged. */
function translateValue(messages: ErrorMessages, value: ErrorValue): ErrorValue {
  if (typeof value !== 'object') return value
  const { key, values } = isNameList(value) ? listNames(value) : value
  const template = messages[key]?.detail
  return template === undefined ? value : phrase(template, translateContext(messages, values))
}
