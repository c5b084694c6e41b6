import { type ErrorObject, JsonApiError } from './errors.ts'
import type { OpenStream } from './send.ts'
import { type Resource, rowReader } from './to-rows.ts'

interface ServerEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

interface EventData {
  readonly data?: readonly Resource[]
  readonly included?: readonly Resource[]
  readonly errors?: readonly ErrorObject[]
}

/**
 * Yields the rows of a live collection, now and after every change. Connects again when the connection ends; throws when the
 * server refuses the stream. Ends when the loop is left or the signal is aborted.
 */
export async function* liveRows(
  open: OpenStream,
  include: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly unknown[]> {
  const rows = new Map<string, Resource>()
  const included = new Map<string, Resource>()
  for (let lastEventId = ''; !signal?.aborted; ) {
    for await (const { event, id, data: text } of readEvents(await open(lastEventId), signal)) {
      const { data = [], included: others = [], errors } = JSON.parse(text) as EventData
      if (event === 'error')
        throw new JsonApiError('The stream', Number(errors?.[0]?.status ?? 500), errors ?? [], new Headers())
      if (event === 'snapshot') for (const map of [rows, included]) map.clear()
      for (const resource of others) included.set(keyOf(resource), resource)
      for (const resource of data) {
        if (event === 'removed') rows.delete(keyOf(resource))
        else rows.set(keyOf(resource), resource)
      }
      lastEventId = id
      const document = { data: [...rows.values()], included: [...included.values()] }
      yield document.data.map(rowReader(document, include))
    }
  }
}

function keyOf({ type, id }: Resource): string {
  return `${type} ${id}`
}

/** Reads server-sent events until the connection ends. */
async function* readEvents(response: Response, signal: AbortSignal | undefined): AsyncGenerator<ServerEvent> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        if (signal?.aborted) throw error
        return { done: true, value: undefined } // the connection is lost
      })
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Null for a comment, such as a heart-beat. */
function parseEvent(block: string): ServerEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }
  const data = fields.get('data')
  return data === undefined ? null : { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data }
}
