import { type ErrorObject, JsonApiError } from './errors.ts'

export const mediaType = 'application/vnd.api+json'
const eventStream = 'text/event-stream'
/** Milliseconds without a byte after which a stream is lost: the server sends heart-beats, at least one every 15 seconds. */
export const longestSilence = 40_000

/** How failed requests are repeated. */
export interface RetryOptions {
  /** Repetitions after the first attempt; default: 2, and 10 for each connection of a live collection. */
  readonly retries?: number
  /** The delay before the first repetition in milliseconds, doubled for each one after it; default: 200. */
  readonly delay?: number
  /** The longest delay in milliseconds; default: 10,000. A longer `Retry-After` ends the attempts. */
  readonly maxDelay?: number
}

export interface ConnectionOptions {
  /** The URL of the server: `https://api.example.com`, or with its prefix. */
  readonly url: string
  /** A bearer token, or a function that returns one for each attempt. */
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
  const { fetch = globalThis.fetch } = options
  let compareTypes = options.types ? typesCheck(options, fetch) : null

  return (call) => {
    const url = urlOf(call, options)
    const headers = buildHeaders(call, options)
    const body = call.contentType || call.body === undefined ? call.body : JSON.stringify(call.body)
    const isRepeatable = /^(GET|DELETE)$/.test(call.method) || 'idempotency-key' in headers
    const retries = isRepeatable ? maxRetries(options, 2) : 0

    return repeat({ options, signal: call.signal, retries, isTemporary }, async (token) => {
      const request = { method: call.method, headers: { ...headers, ...token }, body, signal: call.signal }
      const reply = await readReply(await fetch(url, request as RequestInit))
      if (reply.status >= 400) throw toError(url, call, reply)
      compareTypes?.(request.headers.authorization)
      compareTypes = null
      return reply
    })
  }
}

/** Opens the connections of a stream of server-sent events. */
export interface Connector {
  /**
   * Opens a connection after the event with this id. Pauses first, longer after more connections without an event or a
   * heart-beat. Repeats attempts that fail temporarily.
   */
  readonly connect: (lastEventId: string, connections: number) => Promise<Response>
  readonly signal: AbortSignal
  /** Whether the next connection may have another token. */
  readonly renewsToken: boolean
}

export function createConnector(options: ConnectionOptions, call: Call, signal: AbortSignal): Connector {
  const { fetch = globalThis.fetch, random = Math.random, token, sleep } = options
  const { delay, maxDelay } = readRetry(options)
  const url = urlOf(call, options)
  const headers = buildHeaders({ ...call, accept: eventStream }, options)
  const retries = maxRetries(options, 10)

  const connect = async (lastEventId: string, connections: number) => {
    if (connections > 0) await pause(random() * Math.min(maxDelay, delay * 2 ** (connections - 1)), signal, sleep)
    return repeat({ options, signal, retries, isTemporary: isUnavailable }, async (authorization) => {
      const position = lastEventId && { 'last-event-id': lastEventId }
      const silence = new AbortController()
      const reason = new TypeError(`GET ${url} has no response after ${longestSilence} ms`)
      const timer = setTimeout(() => silence.abort(reason), longestSilence)
      try {
        const response = await fetch(url, {
          headers: { ...headers, ...position, ...authorization },
          signal: AbortSignal.any([signal, silence.signal]),
        } as RequestInit)
        if (!response.ok) throw toError(url, call, await readReply(response))
        const type = response.headers.get('content-type') ?? 'an empty response'
        if (response.body && type.startsWith(eventStream)) return response
        await response.body?.cancel()
        const errors = [{ detail: `${type} is not ${eventStream}` }]
        throw new JsonApiError(`GET ${url}`, response.status, errors, response.headers)
      } finally {
        clearTimeout(timer)
      }
    })
  }
  return { connect, signal, renewsToken: typeof token === 'function' }
}

interface Repetition {
  readonly options: ConnectionOptions
  readonly signal: AbortSignal | undefined
  readonly retries: number
  /** Whether an error response is repeated, as errors of the network are. */
  isTemporary(error: JsonApiError): boolean
}

/** Calls the function with the header of the token until it succeeds, fails for good, or has used up its repetitions. */
async function repeat<Result>(
  { options, signal, retries, isTemporary }: Repetition,
  attempt: (token: { readonly authorization?: string }) => Promise<Result>,
): Promise<Result> {
  const { random = Math.random, sleep } = options
  const { delay, maxDelay } = readRetry(options)
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted()
    const token = typeof options.token === 'function' ? await options.token() : options.token
    let after = 0
    try {
      return await attempt(token ? { authorization: `Bearer ${token}` } : {})
    } catch (error) {
      if (failures >= retries || signal?.aborted) throw error
      if (error instanceof JsonApiError) {
        after = retryAfter(error.headers)
        if (!isTemporary(error) || after > maxDelay) throw error
      }
    }
    await pause(Math.max(random() * Math.min(maxDelay, delay * 2 ** failures), after), signal, sleep)
  }
}

function readRetry({ retry }: ConnectionOptions) {
  const { delay = 200, maxDelay = 10_000 } = retry || {}
  return { delay, maxDelay }
}

function maxRetries({ retry = {} }: ConnectionOptions, preset: number): number {
  return retry ? (retry.retries ?? preset) : 0
}

function urlOf({ path, search }: Call, { url }: ConnectionOptions): string {
  return url.replace(/\/$/, '') + path + (search ? `?${search}` : '')
}

function toError(url: string, { method }: Call, reply: Reply): JsonApiError {
  return new JsonApiError(`${method} ${url}`, reply.status, listErrors(reply), reply.headers)
}

function buildHeaders(call: Call, { headers, idempotencyKeys }: ConnectionOptions): Record<string, string> {
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

function listErrors({ document }: Reply): readonly ErrorObject[] {
  return Array.isArray(document?.errors) ? document.errors : []
}

/** Overload, a restart behind a proxy, or another request with the same idempotency key. */
function isTemporary(error: JsonApiError): boolean {
  return isUnavailable(error) || error.status === 429 || error.code === 'IDEMPOTENCY_KEY_IN_USE'
}

/** Overload, or a restart behind a proxy. */
function isUnavailable({ status }: JsonApiError): boolean {
  return status >= 502 && status <= 504
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
  sleep: ConnectionOptions['sleep'],
): Promise<void> {
  let abort = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  return new Promise<void>((resolve, reject) => {
    abort = () => reject(signal?.reason)
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    if (sleep) sleep(milliseconds).then(resolve, reject)
    else timer = setTimeout(resolve, milliseconds)
  }).finally(() => {
    signal?.removeEventListener('abort', abort)
    clearTimeout(timer)
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
