import { type LinkedValue, type NewResourceInput, toLinkage, toResource } from './documents.ts'
import { mediaType, type Send } from './send.ts'
import { type Resource, rowReader } from './to-rows.ts'

const atomic = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

type Target = string | { readonly lid: string }
interface BatchOptions {
  readonly idempotencyKey?: string | true
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends the operations that `build` collects in one request. */
export async function sendBatch(
  send: Send,
  build: (batch: object) => unknown,
  options: BatchOptions = {},
): Promise<unknown> {
  const operations: object[] = []
  /** The index of the operation of each reference. */
  const indexes = new Map<object, number>()
  const add = (operation: object, reference?: object) => {
    if (reference) indexes.set(reference, operations.length)
    operations.push(operation)
    return reference
  }
  const methodsOf = (type: string) => {
    const target = (value: Target) => (typeof value === 'string' ? { type, id: value } : { type, lid: value.lid })
    const relate = (op: string) => (of: Target, relationship: string, linkage: LinkedValue) => {
      add({ op, ref: { ...target(of), relationship }, data: toLinkage(linkage) })
    }
    return {
      create(attributes: object, { id, relations }: NewResourceInput = {}) {
        const identifier = id === undefined ? { type, lid: `${operations.length + 1}` } : { type, id }
        return add({ op: 'add', data: toResource(identifier, attributes, relations) }, identifier)
      },
      update(of: Target, attributes: object, { relations }: NewResourceInput = {}) {
        return add({ op: 'update', data: toResource(target(of), attributes, relations) }, { changed: type })
      },
      remove: (of: Target) => void add({ op: 'remove', ref: target(of) }),
      add: relate('add'),
      replace: relate('update'),
      removeFrom: relate('remove'),
      ref: (id: string) => ({ type, id }),
    }
  }
  const returned = build(new Proxy({}, { get: (_, type) => methodsOf(String(type)) }))
  if (operations.length === 0) return returned
  const call = { method: 'POST', path: '/operations', body: { 'atomic:operations': operations }, accept: atomic }
  const { document } = await send({ ...call, ...options })
  const results = (document?.['atomic:results'] ?? []) as readonly { readonly data?: Resource | null }[]

  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const index = indexes.get(value)
    if (index !== undefined) {
      const data = results[index]?.data
      return data ? rowReader({ data }, [])(data) : undefined
    }
    if (Array.isArray(value)) return value.map(resolve)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]))
  }
  return resolve(returned)
}
