import { type ErrorObject, JsonApiError } from './errors.ts'
import type { Connector } from './send.ts'
import { readBlocks } from './server-sent-events.ts'
import { type Resource, resourceKey, rowReader } from './to-rows.ts'

interface EventData {
  readonly data?: readonly Resource[]
  readonly included?: readonly Resource[]
  readonly errors?: readonly ErrorObject[]
}

/**
 * Yields the rows of a live collection, now and after every change. Connects again when the connection ends, and with another
 * token after an `error` event with status 401. Throws the error of a refused stream or of another `error` event, and the
 * reason of an aborted signal.
 */
export async function* liveRows(
  { connect, signal, renewsToken }: Connector,
  include: readonly string[] | undefined,
): AsyncGenerator<readonly unknown[]> {
  // The server compares rows and included resources separately with what it has sent: one does not replace the other.
  const rows = new Map<string, Resource>()
  const included = new Map<string, Resource>()
  let lastEventId = ''
  for (let connections = 0; ; connections++) {
    for await (const block of readBlocks(await connect(lastEventId, connections), signal)) {
      const event = block.get('event')
      const text = block.get('data')
      if (event !== 'error') connections = 0
      lastEventId = block.get('id') ?? lastEventId
      if (text === undefined) continue // an id, or a heart-beat
      const { data = [], included: others = [], errors } = JSON.parse(text) as EventData
      if (event === 'error') {
        const error = new JsonApiError('The stream', Number(errors?.[0]?.status ?? 500), errors ?? [], new Headers())
        if (error.status === 401 && renewsToken) break
        throw error
      }
      if (event === 'snapshot') for (const map of [rows, included]) map.clear()
      for (const [map, resources] of [
        [rows, data],
        [included, others],
      ] as const) {
        for (const resource of resources) {
          if (event === 'removed') map.delete(resourceKey(resource))
          else map.set(resourceKey(resource), resource)
        }
      }
      const document = { data: [...rows.values()], included: [...included.values()] }
      yield document.data.map(rowReader(document, include))
      signal.throwIfAborted()
    }
  }
}

/** Yields the row of a live resource: null after its removal. Ends if the resource is missing when it connects again. */
export async function* firstRows(collections: AsyncIterable<readonly unknown[]>): AsyncGenerator<unknown> {
  let last: unknown
  try {
    for await (const [row = null] of collections) {
      last = row
      yield row
    }
  } catch (error) {
    if (last === undefined || !(error instanceof JsonApiError && error.status === 404)) throw error
    if (last) yield null
  }
}
