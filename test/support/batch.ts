import { expect } from 'chai'
import type { Database } from '#store'
import { type Client, type ClientResponse, mediaType } from './client.ts'

export const atomicUri = 'https://jsonapi.org/ext/atomic'
export const atomicMediaType = `${mediaType}; ext="${atomicUri}"`
export const atomicHeaders = { 'content-type': atomicMediaType, accept: atomicMediaType }

export interface Identity {
  readonly type: string
  readonly id?: string
  readonly lid?: string
  readonly meta?: object
}

export interface Result extends Identity {
  readonly id: string
  readonly links: object
  readonly attributes?: Record<string, unknown>
  readonly relationships?: Record<string, { readonly data: object | null }>
}

export function sendBatch(client: Client, operations: unknown, path = '/operations'): Promise<ClientResponse> {
  return client.post(path, { 'atomic:operations': operations }, atomicHeaders)
}

export function add(type: string, attributes: object, linkage: Record<string, Identity | Identity[] | null> = {}) {
  const relationships = Object.fromEntries(Object.entries(linkage).map(([name, data]) => [name, { data }]))
  return { op: 'add', data: { type, attributes, relationships } }
}

/** Returns an add operation with a local id for later operations. */
export function addAs(
  lid: string,
  type: string,
  attributes: object,
  linkage: Record<string, Identity | Identity[] | null> = {},
) {
  const { op, data } = add(type, attributes, linkage)
  return { op, data: { ...data, lid } }
}

export function update(ref: Identity, attributes: object) {
  return { op: 'update', ref, data: { type: ref.type, attributes } }
}

export function remove(ref: Identity) {
  return { op: 'remove', ref }
}

/** Returns an operation that changes the members of a relationship. */
export function relate(op: 'add' | 'update' | 'remove', ref: Identity & { relationship: string }, data: unknown) {
  return { op, ref, data }
}

/** Returns the resources of a successful batch, one per operation. */
export function readResults({ status, body, text }: ClientResponse): Result[] {
  expect(status, text).to.equal(200)
  return body['atomic:results'].map(({ data }: { data: Result }) => data)
}

/** Asserts that the batch failed with exactly this error at this pointer. */
export function expectFailure(
  { status, body, text, headers }: ClientResponse,
  expected: number,
  code: string,
  pointer: string,
): void {
  expect(status, text).to.equal(expected)
  expect(body.errors, text).to.have.length(1)
  expect(body.errors[0]).to.deep.include({ status: String(expected), code, source: { pointer } })
  expect(headers.get('content-type')).to.equal(atomicMediaType)
}

/** Returns all rows of all tables, read by one statement. */
export async function readTables({ orm }: Database): Promise<Record<string, unknown[]>> {
  const names = [...new Set([...orm.getMetadata().getAll().values()].map((meta) => meta.tableName))].filter(Boolean)
  const selects = names.map((name) => `select '${name}' as name, to_jsonb(t) as row from "${name}" t`)
  const found: { name: string; row: unknown }[] = await orm.em
    .getConnection()
    .execute(`select name, row from (${selects.join(' union all ')}) found order by row::text`)
  const rows: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (const { name, row } of found) rows[name]?.push(row)
  return rows
}
