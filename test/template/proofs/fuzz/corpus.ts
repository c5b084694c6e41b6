import type { ResourceType } from '#kernel'
import type { App, Server } from '#kernel/plugin'
import type { Json } from '#test/template/support/corrupt-json.ts'
import type { Send } from './send.ts'

/** The servers and types of the application, and values of rows at the start, from which requests are generated. */
export interface Corpus {
  readonly app: App
  readonly types: readonly { readonly server: Server; readonly type: ResourceType }[]
  readonly ids: ReadonlyMap<string, readonly string[]>
  /** Values of attributes by `type.attribute`. */
  readonly samples: ReadonlyMap<string, readonly Json[]>
  readonly cursors: readonly string[]
}

interface CollectedValues {
  readonly ids: Map<string, Set<string>>
  readonly samples: Map<string, Json[]>
  readonly cursors: Set<string>
}

interface ResourceObject {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, Json>>
}

export const tokens = ['admin', 'ada@example.com', 'mallory@example.com']

/** Reads every collection once as every principal. */
export async function readCorpus(app: App, send: Send): Promise<Corpus> {
  const seen: CollectedValues = { ids: new Map(), samples: new Map(), cursors: new Set() }
  const types = app.servers.flatMap((server) => [...server.types.values()].map((type) => ({ server, type })))
  for (const { server, type } of types) {
    for (const token of tokens) {
      for (const page of ['', '?page[size]=2']) {
        const { text } = await send({
          method: 'GET',
          path: `${server.prefix}/${type.uriType}${page}`,
          headers: { authorization: `Bearer ${token}` },
          body: null,
        })
        collectValues(text, seen)
      }
    }
  }
  const ids = new Map([...seen.ids].map(([name, found]) => [name, [...found]]))
  return { app, types, ids, samples: seen.samples, cursors: [...seen.cursors] }
}

function collectValues(text: string, { ids, samples, cursors }: CollectedValues): void {
  const document = text.startsWith('{') ? JSON.parse(text) : {}
  const listed: ResourceObject[] = [document.data ?? [], document.included ?? []].flat()
  for (const { type, id, attributes = {} } of listed) {
    ids.set(type, (ids.get(type) ?? new Set()).add(id))
    for (const [name, value] of Object.entries(attributes)) {
      const key = `${type}.${name}`
      samples.set(key, [...(samples.get(key) ?? []), value])
    }
  }
  const next = URL.canParse(document.links?.next) ? new URL(document.links.next) : null
  const cursor = next?.searchParams.get('page[after]')
  if (cursor) cursors.add(cursor)
}
