import { expect } from 'chai'
import type { Client } from './client.ts'

type Headers = Readonly<Record<string, string>>

/** A request, what each principal gets in the order in which they are named, and the body it is sent with. */
export type MatrixRow = readonly [request: string, statuses: readonly number[], body?: object]

/** A test per request: who gets which answer. `client` is asked for when the first of them runs. */
export function authorizationMatrix(
  client: () => Client,
  principals: Readonly<Record<string, Headers>>,
  rows: readonly MatrixRow[],
): void {
  for (const [request, statuses, body] of rows) {
    it(`${request}: ${statuses.join(', ')}`, async () => {
      const [method = '', path = ''] = request.split(' ')
      for (const [index, [who, headers]] of Object.entries(principals).entries()) {
        const answer = await client().send(method, path, { headers: { ...headers }, ...(body && { body }) })
        expect(answer.status, `${request} by ${who}: ${answer.text}`).to.equal(statuses[index])
      }
    })
  }
}
