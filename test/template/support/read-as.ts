import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** The headers of a requester. */
export type Requester = Readonly<Record<string, string>>

export interface Received {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const agent = new Agent({ keepAlive: true })

/** Applications on different ports return the same links to the same host. */
const common = { accept: 'application/vnd.api+json', host: 'library.example', 'x-request-id': 'compared' }

/** Sends a GET with any headers, also Host. Returns the response without its time, so that it can be compared. */
export async function readAs(url: string, path: string, requester: Requester): Promise<Received> {
  const response = await new Promise<import('node:http').IncomingMessage>((done, fail) => {
    request(url + path, { agent, headers: { ...common, ...requester } }, done)
      .once('error', fail)
      .end()
  })
  const { date: _, 'server-timing': __, ...headers } = response.headers
  return { status: response.statusCode, headers, body: await text(response) }
}
