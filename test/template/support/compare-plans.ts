import { isDeepStrictEqual } from 'node:util'
import { AssertionError } from 'chai'
import { countsStatements } from '#test/support/statements.ts'

/** Headers that differ between two responses to the same request. */
const varying = ['age', 'date', 'server-timing', 'x-request-id']

/**
 * Sends every GET and HEAD of the tests three times: when the query is first read, when it is read again and kept, and with the
 * kept query. The responses must be the same. Reads whose statements a test counts are sent once.
 */
export function compareReads(): void {
  const send = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const first = await send(input, init)
    const isRead = ['GET', 'HEAD'].includes(init?.method ?? 'GET')
    if (!isRead || countsStatements() || !first.headers.get('content-type')?.startsWith('application/vnd.api+json'))
      return first
    const expected = await toComparable(first.clone())
    for (const state of ['read again', 'kept']) {
      const received = await toComparable(await send(input, init))
      if (isDeepStrictEqual(received, expected)) continue
      const message = `${input} returns another response when its query is ${state}`
      throw new AssertionError(message, { actual: received, expected, showDiff: true })
    }
    return first
  }
}

async function toComparable(response: Response) {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !varying.includes(name)))
  const id = response.headers.get('x-request-id') ?? '-'
  return { status: response.status, headers, body: (await response.text()).replaceAll(id, '') }
}
