import type { Links } from '../lib/link.ts'
import { type ErrorContext, fillTemplate } from './error-text.ts'
import { StacklessError } from './stackless-error.ts'

export * from './error-text.ts'

/** The part of the request that caused the error: exactly one of the three. */
export type ErrorSource = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string }

/** https://jsonapi.org/format/1.1/#error-objects */
export interface ErrorObject {
  /** The request id, if the request has one. */
  readonly id?: string
  readonly links?: Links | undefined
  readonly status: string
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly source?: ErrorSource
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface ErrorDefinition {
  readonly code: string
  readonly status: number
  readonly title: string
  /** A template; `{placeholders}` are filled with the context of the thrown error. */
  readonly detail: string
  readonly documentation?: ErrorDocumentation
}

/** Texts for the page of error codes. */
interface ErrorDocumentation<Other extends number = number> {
  /** When the error occurs: a sentence in Markdown. */
  readonly when: string
  readonly example?: ErrorContext
  readonly source?: ErrorSource
  /** The statuses that the error has in other situations. */
  readonly otherStatuses?: readonly Other[]
}

export interface ErrorOptions {
  readonly status?: number
  readonly source?: ErrorSource
  readonly links?: Links
  readonly meta?: Readonly<Record<string, unknown>>
  /** The error that it was converted from, for logs and debug mode. It is not part of the error object. */
  readonly cause?: unknown
}

/** Replaces the texts of an error, as a translation does; `detail` is a template. */
export interface ErrorTexts {
  readonly title?: string
  readonly detail?: string
}

export class ApiError extends StacklessError {
  readonly definition: ErrorDefinition
  readonly context: ErrorContext
  readonly options: ErrorOptions

  constructor(definition: ErrorDefinition, context: ErrorContext, options: ErrorOptions) {
    super(fillTemplate(definition.detail, context))
    this.name = 'ApiError'
    this.definition = definition
    this.context = context
    this.options = options
    if (options.cause !== undefined) this.cause = options.cause
  }

  get status(): number {
    return this.options.status ?? this.definition.status
  }

  /** Returns the error object, with other texts and context if a translation is given. */
  toObject({ title, detail }: ErrorTexts = {}, context: ErrorContext = this.context): ErrorObject {
    const { source, links, meta } = this.options
    return {
      ...(links && { links }),
      status: String(this.status),
      code: this.definition.code,
      title: title ?? this.definition.title,
      detail: detail === undefined ? this.message : fillTemplate(detail, context),
      ...(source && { source }),
      ...(meta && { meta }),
    }
  }
}

/** Several errors of one error document. */
export class ApiErrors extends StacklessError {
  readonly errors: readonly ApiError[]
  /** Whether there are more errors than these. */
  readonly truncated: boolean

  constructor(errors: readonly ApiError[], { truncated = false } = {}) {
    super(errors.map((error) => error.message).join('\n'))
    this.name = 'ApiErrors'
    this.errors = errors
    this.truncated = truncated
  }
}

/** `Status` has the other statuses of the error, too. */
export interface ErrorFactory<Code extends string = string, Status extends number = number> {
  (context?: ErrorContext, options?: ErrorOptions): ApiError
  readonly definition: ErrorDefinition & { readonly code: Code; readonly status: Status }
}

/**
 * Declares an error. Returns the function that creates it: `throw relationshipNotExists({ relationship })`. The key `errors` of a
 * resource, an action or a plugin, or the static member `errors` of a policy, adds it to the catalogue.
 */
export function defineError<const Code extends string, const Status extends number, const Other extends number = never>(
  code: Code,
  status: Status,
  title: string,
  detail: string,
  documentation?: ErrorDocumentation<Other>,
): ErrorFactory<Code, Status | Other> {
  const definition = Object.freeze({
    code,
    status,
    title,
    detail,
    ...(documentation && { documentation }),
  })
  const create = (context: ErrorContext = {}, options: ErrorOptions = {}) => new ApiError(definition, context, options)
  return Object.assign(create, { definition })
}

/** The errors of the catalogue in a thrown value. Returns an empty list if it is another error. */
export function toApiErrors(error: unknown): readonly ApiError[] {
  if (error instanceof ApiErrors) return error.errors
  return error instanceof ApiError ? [error] : []
}

/** The `meta` of an error document that does not have all errors. */
export function describeTruncation(error: unknown): { readonly meta?: { readonly truncated: true } } {
  return error instanceof ApiErrors && error.truncated ? { meta: { truncated: true } } : {}
}

/** https://jsonapi.org/format/1.1/#errors-processing: the common status, otherwise the most general status. */
export function chooseStatus(errors: readonly { readonly status: number | string }[]): number {
  const statuses = new Set(errors.map((error) => Number(error.status)))
  if (statuses.size === 1) return [...statuses][0] as number
  return [...statuses].some((status) => status >= 500) ? 500 : 400
}
