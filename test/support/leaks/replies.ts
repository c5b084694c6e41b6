import { mediaType } from '../client.ts'
import { as } from '../principals.ts'
import type { Way } from './way.ts'

/** An answer without what differs between two equal requests. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** An id of the request is given, and nothing is compressed, so that answers can be compared. */
const fixedHeaders = { accept: mediaType, 'accept-encoding': 'identity', 'x-request-id': 'leak' }

/** Requests under way at the same time: with more of them a busy machine answers with 503. */
const concurrency = 50

/** Sends requests as a principal; null is anonymous. */
export async function sendAll(url: string, ways: readonly Way[], who: string | null): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let first = 0; first < ways.length; first += concurrency) {
    const some = ways.slice(first, first + concurrency)
    replies.push(...(await Promise.all(some.map((way) => sendOne(url, way, who)))))
  }
  return replies
}

/** Does not check documents, which other tests do: there are thousands of answers. */
export async function sendOne(url: string, { method, path, body, headers }: Way, who: string | null): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...fixedHeaders,
      ...(body && { 'content-type': mediaType }),
      ...headers,
      ...(who === null ? {} : as(who)),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { date, ...kept } = Object.fromEntries(response.headers)
  return { status: response.status, headers: kept, text: await response.text() }
}
