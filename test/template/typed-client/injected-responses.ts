import { expect } from 'chai'
import { type ApiSchema, createClient, type RetryOptions } from '#client'

// A client of notes, with injected responses and an injected clock.

export interface Notes extends ApiSchema {
  readonly types: { readonly notes: NoteSchema }
  readonly errors: { readonly CONFLICT: 409; readonly IDEMPOTENCY_KEY_IN_USE: 409 }
}
interface NoteSchema {
  readonly attributes: { readonly text: string }
  readonly create: { readonly text: string }
  readonly update: { readonly text?: string }
  readonly id: 'server'
  readonly relations: Record<never, never>
  readonly operations: 'list' | 'get' | 'create' | 'update' | 'remove' | 'live' | 'liveOne'
  readonly filters: Record<never, never>
  readonly singular: Record<never, never>
  readonly sorts: never
  readonly page: { readonly number?: number }
  readonly includes: never
  readonly defaultIncludes: never
  readonly counts: never
  readonly actions: Record<never, never>
  readonly created: 'row'
  readonly updated: 'row'
  readonly removed: 'none'
  readonly etags: true
  readonly path: 'notes'
}

export type Answer = Response | Error | ((request: RequestInit) => Promise<Response>)

interface Recorded {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export function connect(
  answers: readonly Answer[],
  retry?: RetryOptions | false,
  options: Partial<Parameters<typeof createClient<Notes>>[0]> = {},
) {
  const requests: Recorded[] = []
  const sleeps: number[] = []
  const fetch = async (url: unknown, request: RequestInit = {}) => {
    const { method = 'GET', headers = {}, body } = request
    requests.push({ method, url: String(url), headers: headers as Record<string, string>, body })
    const next = answers[requests.length - 1]
    if (next === undefined) throw new Error('no answer left')
    if (next instanceof Error) throw next
    return typeof next === 'function' ? next(request) : next
  }
  const api = createClient<Notes>({
    url: 'http://api.example/',
    fetch: fetch as typeof globalThis.fetch,
    ...(retry !== undefined && { retry }),
    random: () => 1,
    sleep: async (milliseconds) => void sleeps.push(milliseconds),
    ...options,
  })
  return { api, requests, sleeps }
}

export function answer(status: number, body: object = {}, headers: Record<string, string> = {}): Response {
  const isEmpty = status === 204
  return new Response(isEmpty ? null : JSON.stringify(body), {
    status,
    headers: { ...(!isEmpty && { 'content-type': 'application/vnd.api+json' }), ...headers },
  })
}

export function stream(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

/** A stream that stays open. */
export function openStream(text: string) {
  const encoder = new TextEncoder()
  const state = { isCancelled: false }
  let controller: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(own) {
      controller = own
    },
    cancel() {
      state.isCancelled = true
    },
  })
  const send = (more: string) => controller.enqueue(encoder.encode(more))
  send(text)
  return { response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }), send, state }
}

/** An event with notes, each with an id, a text and other members. */
export function event(name: string, data: readonly object[], included: readonly object[] = []): string {
  return `id: ${name}\nevent: ${name}\ndata: ${JSON.stringify({ data, included })}\n\n`
}

export async function rejection(promise: PromiseLike<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  return expect.fail('The promise was not rejected.')
}
