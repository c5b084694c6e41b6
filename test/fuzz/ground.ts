import type { ResourceType } from '#kernel'
import type { App, Server } from '#kernel/plugin'
import type { Json } from '#test/support/corrupt-json.ts'
import type { Send } from './send.ts'

/** What there is to ask for: servers and their types, and rows of them as they were at the start. */
export interface Ground {
  readonly app: App
  readonly types: readonly { readonly server: Server; readonly type: ResourceType }[]
  readonly ids: ReadonlyMap<string, readonly string[]>
  /** Values that attributes have somewhere, by `type.attribute`. */
  readonly samples: ReadonlyMap<string, readonly Json[]>
  readonly cursors: readonly string[]
}

interface Seen {
  readonly ids: Map<string, Set<string>>
  readonly samples: Map<string, Json[]>
  readonly cursors: Set<string>
}

interface Listed {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, Json>>
}

export const tokens = ['admin', 'ada@example.com', 'mallory@example.com']

/** Reads every collection once, as everybody. */
export async function surveyGround(app: App, send: Send): Promise<Ground> {
  const seen: Seen = { ids: new Map(), samples: new Map(), cursors: new Set() }
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
        note(text, seen)
      }
    }
  }
  const ids = new Map([...seen.ids].map(([name, found]) => [name, [...found]]))
  return { app, types, ids, samples: seen.samples, cursors: [...seen.cursors] }
}

function note(text: string, { ids, samples, cursors }: Seen): void {
  const document = text.startsWith('{') ? JSON.parse(text) : {}
  const listed: Listed[] = [document.data ?? [], document.included ?? []].flat()
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
