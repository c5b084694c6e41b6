import { expect } from 'chai'
import type { Client } from './client.ts'

type Headers = Readonly<Record<string, string>>

/** A request, the status for each principal in the order of `principals`, and the request body. */
export type MatrixRow = readonly [request: string, statuses: readonly number[], body?: object]

/** Defines a test per request that checks the status for each principal. Calls `client` when the first test runs. */
export function authorizationMatrix(
  client: () => Client,
  principals: Readonly<Record<string, Headers>>,
  rows: readonly MatrixRow[],
): void {
  for (const [request, statuses, body] of rows) {
    it(`returns ${statuses.join(', ')} for ${request} as ${Object.keys(principals).join(', ')}`, async () => {
      const [method = '', path = ''] = request.split(' ')
      for (const [index, [principal, headers]] of Object.entries(principals).entries()) {
        const response = await client().send(method, path, { headers: { ...headers }, ...(body && { body }) })
        expect(response.status, `${request} by ${principal}: ${response.text}`).to.equal(statuses[index])
      }
    })
  }
}
