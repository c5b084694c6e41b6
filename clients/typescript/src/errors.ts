/** An error object of JSON:API. */
export interface ErrorObject {
  readonly id?: string
  readonly status?: string
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly source?: { readonly pointer?: string; readonly parameter?: string; readonly header?: string }
  readonly meta?: Readonly<Record<string, unknown>>
  readonly links?: Readonly<Record<string, unknown>>
}

/** A response with a status of 400 or more. */
export class JsonApiError extends Error {
  readonly status: number
  /** The code of the first error object; null if the response is not an error document. */
  readonly code: string | null
  readonly errors: readonly ErrorObject[]
  readonly headers: Headers

  constructor(request: string, status: number, errors: readonly ErrorObject[], headers: Headers) {
    const [first] = errors
    super(`${request} returned ${status}: ${first?.detail ?? first?.title ?? 'no error document'}`)
    this.name = 'JsonApiError'
    this.status = status
    this.code = first?.code ?? null
    this.errors = errors
    this.headers = headers
  }
}

/** The union of the errors of an API: `error.code` selects one, with its status. */
export type ApiError<Errors> =
  | {
      [Code in keyof Errors & string]: JsonApiError & { readonly code: Code; readonly status: Errors[Code] }
    }[keyof Errors & string]
  | (JsonApiError & { readonly code: null })

/** The result of a request without an exception. */
export type Outcome<Value, Errors> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ApiError<Errors> }
