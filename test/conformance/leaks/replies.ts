import { mediaType } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import type { LeakRequest } from './leak-request.ts'

/** A response without the parts that differ between two equal requests. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A constant request id and no compression, so that responses can be compared. */
const fixedHeaders = { accept: mediaType, 'accept-encoding': 'identity', 'x-request-id': 'leak' }

/** The number of concurrent requests: with more of them a busy machine returns 503. */
const concurrency = 50

/** Sends requests as a principal; null is anonymous. */
export async function sendAll(
  url: string,
  requests: readonly LeakRequest[],
  principal: string | null,
): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let first = 0; first < requests.length; first += concurrency) {
    const some = requests.slice(first, first + concurrency)
    replies.push(...(await Promise.all(some.map((request) => sendOne(url, request, principal)))))
  }
  return replies
}

/** Sends a request without checking the document, which other tests do: there are thousands of responses. */
export async function sendOne(
  url: string,
  { method, path, body, headers }: LeakRequest,
  principal: string | null,
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...fixedHeaders,
      ...(body && { 'content-type': mediaType }),
      ...headers,
      ...(principal === null ? {} : as(principal)),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { date, etag, 'server-timing': _, ...kept } = Object.fromEntries(response.headers)
  const received = etag === undefined ? kept : { ...kept, etag: withoutVersion(etag) }
  return { status: response.status, headers: received, text: await response.text() }
}

/**
 * Keeps the digest of the body, and which of the rows of the version exist. The deletion of a hidden row sets keys to null,
 * which changes the version of their row.
 */
function withoutVersion(etag: string): string {
  // The version of a row of a view is a hash of its columns.
  if (/^"[\da-f]{32}-/.test(etag)) return etag.replace(/^"[\da-f]{32}/, '"n')
  return etag.replace(/^"[\d.]+-/, (version) => version.replaceAll(/[1-9]\d*/g, 'n'))
}
