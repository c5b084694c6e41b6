import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { versionsProfile } from '#plugins/conditional-requests/profile.ts'
import { atomicUri } from '#test/support/batch.ts'
import { mediaType } from '#test/support/client.ts'

export interface Answer {
  /** 0 if there was no response. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: documents are read without types
  readonly body: any
  readonly isReplayed: boolean
  readonly cookie: string | undefined
}

export interface Message {
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds after which the connection is closed without waiting for the response. */
  readonly abortsAfter?: number | null
}

export interface HttpClient {
  send(method: string, url: string, message?: Message): Promise<Answer>
  close(): void
}

const profile = `profile="${versionsProfile}"`
const resourceType = `${mediaType}; ${profile}`
const batchType = `${mediaType}; ext="${atomicUri}"; ${profile}`

/** Creates a client with keep-alive connections. Every document has the versions of its resources. */
export function createHttpClient(connections: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send: HttpClient['send'] = (method, url, { body, headers = {}, abortsAfter = null } = {}) =>
    new Promise((resolve) => {
      const noResponse = () => resolve({ status: 0, body: null, isReplayed: false, cookie: undefined })
      const type = url.endsWith('/operations') ? batchType : resourceType
      const sent = request(url, {
        agent,
        method,
        headers: { accept: type, ...(body && { 'content-type': type }), ...headers },
      })
      sent.once('error', noResponse)
      sent.once('response', (response) => {
        text(response).then((received) => {
          const cookie = response.headers['set-cookie']?.[0]?.split(';')[0]
          const document = received === '' ? null : JSON.parse(received)
          const isReplayed = response.headers['idempotency-replayed'] === 'true'
          resolve({ status: response.statusCode ?? 0, body: document, isReplayed, cookie })
        }, noResponse)
      })
      sent.end(body && JSON.stringify(body))
      if (abortsAfter !== null) setTimeout(() => sent.destroy(), abortsAfter)
    })
  return { send, close: () => agent.destroy() }
}
