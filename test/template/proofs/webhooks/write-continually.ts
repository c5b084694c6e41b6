import { setTimeout } from 'node:timers/promises'
import type { RandomSource } from '#test/conformance/random.ts'
import type { HttpClient } from '../list-service/http-client.ts'

/** Acknowledged changes by `type id kind`: the log has at least so many. */
export type Acknowledged = Map<string, number>

interface Resource {
  readonly type: 'books' | 'shelves'
  readonly id: string
}

/** Milliseconds between two writes of a client. */
const pause = 60
/** Resources that a client changes at a time, so that one has many changes. */
const kept = 6

/**
 * Creates, changes, relates and deletes shelves and books until the signal is aborted; each request goes to one of the
 * services. Some batches fail in their second operation, so that they change nothing.
 */
export async function writeContinually(
  client: HttpClient,
  urls: () => readonly string[],
  random: RandomSource,
  acknowledged: Acknowledged,
  signal: AbortSignal,
): Promise<void> {
  const resources: Resource[] = []
  let number = 0
  const send = (method: string, path: string, body?: object) =>
    client.send(method, `${random.pick(urls())}${path}`, { body })
  const count = ({ type, id }: Resource, kind: string) => {
    const key = `${type} ${id} ${kind}`
    acknowledged.set(key, (acknowledged.get(key) ?? 0) + 1)
  }

  async function create(): Promise<void> {
    const type = random.chance(70) ? 'books' : 'shelves'
    const { status, body } = await send('POST', `/${type}`, { data: { type, attributes: attributes(type) } })
    if (status !== 201) return
    const created = { type, id: body.data.id } as const
    resources.push(created)
    count(created, 'created')
  }

  async function rename(resource: Resource): Promise<void> {
    const { type, id } = resource
    const { status } = await send('PATCH', `/${type}/${id}`, { data: { type, id, attributes: attributes(type) } })
    if (status === 200) count(resource, 'updated')
  }

  /** Adds a book to a shelf, which is a change of both. */
  async function place(shelf: Resource): Promise<void> {
    const book = resources.find(({ type }) => type === 'books')
    if (!book) return
    await send('POST', `/shelves/${shelf.id}/relationships/books`, { data: [{ type: 'books', id: book.id }] })
  }

  async function remove(resource: Resource): Promise<void> {
    const { status } = await send('DELETE', `/${resource.type}/${resource.id}`)
    resources.splice(resources.indexOf(resource), 1)
    if (status === 204) count(resource, 'deleted')
  }

  async function failBatch({ type, id }: Resource): Promise<void> {
    const data = { type, id, attributes: attributes(type) }
    const missing = { type: 'books', id: '999999999' }
    const operations = [
      { op: 'update', data },
      { op: 'remove', ref: missing },
    ]
    const { status } = await send('POST', '/operations', { 'atomic:operations': operations })
    if (status === 200) throw new Error('A batch that removes a missing book has succeeded.')
  }

  function attributes(type: Resource['type']): object {
    const text = `${type} ${random.below(1_000_000)} ${number++}`
    return type === 'books' ? { title: text } : { name: text }
  }

  while (!signal.aborted) {
    const resource = resources.length > 0 ? random.pick(resources) : null
    const drawn = random.below(100)
    if (!resource || (drawn < 25 && resources.length < kept)) await create()
    else if (drawn < 30) await remove(resource)
    else if (drawn < 35) await failBatch(resource)
    else if (drawn < 50 && resource.type === 'shelves') await place(resource)
    else await rename(resource)
    await setTimeout(pause)
  }
}
