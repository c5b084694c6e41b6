import { expect } from 'chai'
import type { ClientResponse } from '#test/support/client.ts'
import { libraryDatabase } from './library/index.ts'

let number = 0

/** Returns the header with a key that no other test uses. */
export function keyed(key = `key-${process.pid}-${++number}`): { readonly 'idempotency-key': string } {
  return { 'idempotency-key': key }
}

/** Asserts that a response is the stored one of an earlier request. */
export function expectReplay(repeated: ClientResponse, first: ClientResponse): void {
  expect(repeated.headers.get('idempotency-replayed'), repeated.text).to.equal('true')
  expect([repeated.status, repeated.text]).to.deep.equal([first.status, first.text])
  for (const name of ['content-type', 'content-language', 'location', 'vary', 'content-length', 'etag', 'link']) {
    expect(repeated.headers.get(name), name).to.equal(first.headers.get(name))
  }
}

export function shelf(name: string, id?: string) {
  return { data: { type: 'shelves', id, attributes: { name } } }
}

/** Runs a statement on the database of the library. */
export async function query(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await libraryDatabase()).orm.em.getConnection().execute(sql, [...parameters])
}

/** Sets the age of all stored responses. */
export async function setAge(seconds: number): Promise<void> {
  await query(`update idempotency_keys set created_at = now() - ${seconds} * interval '1 second'`)
}
