import { type ErrorObject, JsonApiError } from './errors.ts'

export const mediaType = 'application/vnd.api+json'

/** How failed requests are repeated. */
export interface RetryOptions {
  /** Repetitions after the first attempt; default: 2. */
  readonly retries?: number
  /** The delay before the first repetition in milliseconds, doubled for each one after it; default: 200. */
  readonly delay?: number
  /** The longest delay in milliseconds; default: 10,000. A longer `Retry-After` ends the attempts. */
  readonly maxDelay?: number
}

export interface ConnectionOptions {
  /** The URL of the server: `https://api.example.com`, or with its prefix. */
  readonly url: string
  /** A bearer token, or a function that returns one for each request. */
  readonly token?: string | (() => string | null | Promise<string | null>)
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
  /** False repeats no request. */
  readonly retry?: RetryOptions | false
  /** Sends a random `Idempotency-Key` with every write, so that writes are repeated as well. The server must support it. */
  readonly idempotencyKeys?: boolean
  /** The hash of the types, from the file that `npm run make -- types` writes. */
  readonly types?: string
  /** Called once when the server has other types than `types`; default: `console.warn`. */
  readonly onTypesDiffer?: (message: string) => void
  /** Waits for milliseconds, and returns a number from 0 to 1; for tests. */
  readonly sleep?: (milliseconds: number) => Promise<void>
  readonly random?: () => number
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly search?: string
  /** A document, or the raw body if there is a content type. */
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly ifMatch?: string | undefined
  readonly idempotencyKey?: string | true | undefined
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Null without a body. */
  readonly document: JsonDocument | null
}

export interface JsonDocument {
  readonly data?: unknown
  readonly included?: readonly unknown[]
  readonly errors?: readonly ErrorObject[]
  readonly meta?: Readonly<Record<string, unknown>>
  readonly links?: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

export type Send = (call: Call) => Promise<Reply>

/** Creates the function that sends requests and repeats those that are safe to repeat. */
export function createSend(options: ConnectionOptions): Send {
  const { fetch = globalThis.fetch, retry = {}, random = Math.random } = options
  const { retries = 2, delay = 200, maxDelay = 10_000 } = retry || { retries: 0 }
  let compareTypes = options.types ? typesCheck(options, fetch) : null

  return async (call) => {
    const url = options.url.replace(/\/$/, '') + call.path + (call.search ? `?${call.search}` : '')
    const headers = headersOf(call, options)
    const token = typeof options.token === 'function' ? await options.token() : options.token
    if (token) headers.authorization = `Bearer ${token}`
    const isRepeatable = /^(GET|DELETE)$/.test(call.method) || 'idempotency-key' in headers
    const body = call.contentType || call.body === undefined ? call.body : JSON.stringify(call.body)
    const request = { method: call.method, headers, body, signal: call.signal } as RequestInit

    for (let attempt = 0; ; attempt++) {
      const isLast = !isRepeatable || attempt >= retries
      let wait = random() * Math.min(maxDelay, delay * 2 ** attempt)
      try {
        const response = await fetch(url, request)
        const reply = await readReply(response)
        if (reply.status < 400) {
          compareTypes?.(headers.authorization)
          compareTypes = null
          return reply
        }
        const error = new JsonApiError(`${call.method} ${url}`, reply.status, errorsOf(reply), reply.headers)
        const after = retryAfter(reply.headers)
        if (isLast || !isTemporary(error) || after > maxDelay) throw error
        wait = Math.max(wait, after)
      } catch (error) {
        if (isLast || error instanceof JsonApiError || call.signal?.aborted) throw error
      }
      await pause(wait, call.signal, options.sleep)
    }
  }
}

/** Opens a stream of server-sent events after the event with this id. Repeats attempts that fail temporarily. */
export type OpenStream = (lastEventId: string) => Promise<Response>

/** Creates the function that opens the streams of a URL. */
export function createOpen(options: ConnectionOptions, call: Call): OpenStream {
  const { fetch = globalThis.fetch, retry = {}, random = Math.random } = options
  const { delay = 200, maxDelay = 10_000 } = retry || {}
  const url = options.url.replace(/\/$/, '') + call.path + (call.search ? `?${call.search}` : '')
  let isFirst = true
  return async (lastEventId) => {
    if (!isFirst) await pause(random() * delay, call.signal, options.sleep)
    isFirst = false
    for (let attempt = 0; ; attempt++) {
      const headers = headersOf({ ...call, accept: 'text/event-stream' }, options)
      if (lastEventId) headers['last-event-id'] = lastEventId
      const token = typeof options.token === 'function' ? await options.token() : options.token
      if (token) headers.authorization = `Bearer ${token}`
      try {
        const response = await fetch(url, { headers, signal: call.signal } as RequestInit)
        if (response.ok && response.body) return response
        const reply = await readReply(response)
        throw new JsonApiError(`GET ${url}`, reply.status, errorsOf(reply), reply.headers)
      } catch (error) {
        if (call.signal?.aborted || retry === false) throw error
        if (error instanceof JsonApiError && !isTemporary(error)) throw error
      }
      await pause(random() * Math.min(maxDelay, delay * 2 ** attempt), call.signal, options.sleep)
    }
  }
}

function headersOf(call: Call, { headers, idempotencyKeys }: ConnectionOptions): Record<string, string> {
  const key = call.idempotencyKey ?? (idempotencyKeys && call.method !== 'GET')
  return {
    accept: call.accept ?? mediaType,
    ...(call.body !== undefined && { 'content-type': call.contentType ?? call.accept ?? mediaType }),
    ...headers,
    ...(call.ifMatch && { 'if-match': call.ifMatch }),
    ...(key && { 'idempotency-key': key === true ? crypto.randomUUID() : key }),
    ...call.headers,
  }
}

/** An answer without a JSON body, such as that of a proxy, has no document. */
async function readReply(response: Response): Promise<Reply> {
  const { status, headers } = response
  const text = await response.text()
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '')
  return { status, headers, document: text && isJson ? (JSON.parse(text) as JsonDocument) : null }
}

function errorsOf({ document }: Reply): readonly ErrorObject[] {
  return Array.isArray(document?.errors) ? document.errors : []
}

/** Overload, a restart behind a proxy, or another request with the same idempotency key. */
function isTemporary({ status, code }: JsonApiError): boolean {
  return status === 429 || (status >= 502 && status <= 504) || code === 'IDEMPOTENCY_KEY_IN_USE'
}

/** The delay in milliseconds that the server requests, in seconds or as a date; 0 without one. */
function retryAfter(headers: Headers): number {
  const value = headers.get('retry-after')
  if (!value) return 0
  const seconds = Number(value)
  return Number.isNaN(seconds) ? Math.max(0, Date.parse(value) - Date.now()) || 0 : seconds * 1000
}

/** Waits; rejects with the reason of the signal if it is aborted. */
function pause(
  milliseconds: number,
  signal: AbortSignal | undefined,
  sleep = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time)),
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    sleep(milliseconds)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', abort))
  })
}

/** Returns a function that compares the hash of the types with that of the server. A server without types is ignored. */
function typesCheck({ url, types, onTypesDiffer = console.warn }: ConnectionOptions, fetch: typeof globalThis.fetch) {
  return async (authorization: string | undefined) => {
    const headers = authorization === undefined ? {} : { authorization }
    const request = { method: 'HEAD', headers }
    const served = await fetch(`${url.replace(/\/$/, '')}/client-types.d.ts`, request).catch(() => null)
    const hash = served?.ok && served.headers.get('etag')?.replace(/^W\/|"/g, '')
    // A server or proxy that compresses responses may add a suffix.
    if (hash && types && !hash.startsWith(types)) {
      onTypesDiffer(
        `The server has other types (${hash}) than this client (${types}). Run npm run make -- types again.`,
      )
    }
  }
}
