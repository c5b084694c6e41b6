import { createClient, type Row } from '../../clients/typescript/src/index.ts'
import type { Api } from '../../resources/api.ts'
import { announce, create, find } from '../browser/src/elements.ts'

// Shows the albums while they change, those that have changed at the top. The rows come from a stream of server-sent events,
// which the client opens again when the connection is lost.

/** The command adds `changes: true` to albums. In a project the declaration has it, and the client is that of `Api`. */
interface LiveApi {
  readonly types: Omit<Types, 'albums'> & { readonly albums: LiveAlbums }
  readonly errors: Api['errors']
}
type Types = Api['types']
type LiveAlbums = Omit<Types['albums'], 'operations'> & { readonly operations: 'live' }

/** The server of the example forwards `/api` to the service. */
const api = createClient<LiveApi>({ url: '/api', fetch: connect })
const fields = { albums: ['title', 'status', 'artist'], artists: ['name'] } as const
type Album = Row<LiveApi['types'], 'albums', 'artist', typeof fields>

/** The texts of the albums that are shown, by their ids. */
let shown: ReadonlyMap<string, string> | null = null
/** The ids of the albums that have changed, the latest last. */
const recent = new Set<string>()

try {
  for await (const albums of api.albums.live({ include: ['artist'], fields })) show(albums)
} catch (error) {
  announce(error instanceof Error ? error.message : String(error))
}

/** Opens a connection of the stream, also after the loss of another one, and shows its state. */
async function connect(...request: Parameters<typeof fetch>): Promise<Response> {
  announce('Connecting')
  const response = await fetch(...request)
  if (response.ok) announce('Connected')
  return response
}

/** Replaces the list, and lists the differences from the one before. */
function show(albums: readonly Album[]): void {
  const before = shown
  shown = new Map(albums.map((album) => [album.id, textOf(album)]))
  for (const [id, text] of before ?? []) if (!shown.has(id)) log(`removed: ${text}`)
  const kinds = new Map<string, string>()
  for (const [id, text] of shown) {
    if (!before || before.get(id) === text) continue
    kinds.set(id, before.has(id) ? 'changed' : 'added')
    log(`${kinds.get(id)}: ${text}`)
    recent.delete(id)
    recent.add(id)
  }
  const order = [...recent]
  const byChange = (a: Album, b: Album) => order.indexOf(b.id) - order.indexOf(a.id) || a.title.localeCompare(b.title)
  const items = albums.toSorted(byChange).map((album) => toItem(album, kinds.get(album.id) ?? ''))
  find('#albums', HTMLElement).replaceChildren(...items)
}

function textOf({ title, status, artist }: Album): string {
  return `${title}, ${artist?.name ?? 'unknown artist'}, ${status}`
}

function toItem({ title, status, artist }: Album, className: string): HTMLElement {
  const cells = [artist?.name ?? 'Unknown artist', status].map((text) => create('span', {}, text))
  return create('li', { className }, create('strong', {}, title), ...cells)
}

/** Adds a change above the others. The page shows ten. */
function log(text: string): void {
  const changes = find('#changes', HTMLElement)
  changes.prepend(create('li', {}, text))
  changes.children[10]?.remove()
}
