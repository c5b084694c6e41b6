import { createClient, type Row } from '../../clients/typescript/src/index.ts'
import type { Api } from '../../resources/api.ts'
import { announce, create, find } from '../browser/src/elements.ts'

// Shows the albums while they change. The rows come from a stream of server-sent events, which the client opens again when
// the connection is lost.

/** The command adds `changes: true` to albums. In a project the declaration has it, and the client is that of `Api`. */
interface LiveApi {
  readonly types: Omit<Types, 'albums'> & { readonly albums: LiveAlbums }
  readonly errors: Api['errors']
}
type Types = Api['types']
type LiveAlbums = Omit<Types['albums'], 'operations'> & { readonly operations: 'live' }

/** The server of the example forwards `/api` to the service. */
const api = createClient<LiveApi>({ url: '/api' })
const fields = { albums: ['title', 'status', 'artist'], artists: ['name'] } as const
type Album = Row<LiveApi['types'], 'albums', 'artist', typeof fields>

/** The texts of the albums that are shown, by their ids. */
let shown: ReadonlyMap<string, string> | null = null
/** Entries of the list of changes. */
const maxChanges = 20

try {
  for await (const albums of api.albums.live({ include: ['artist'], fields })) show(albums)
} catch (error) {
  announce(error instanceof Error ? error.message : String(error))
}

/** Replaces the list, and lists the differences from the one before. */
function show(albums: readonly Album[]): void {
  const sorted = albums.toSorted((a, b) => a.title.localeCompare(b.title))
  const texts = new Map(sorted.map((album) => [album.id, textOf(album)]))
  const kinds = new Map(sorted.map(({ id }) => [id, kindOf(id, texts)]))
  find('#albums', HTMLElement).replaceChildren(...sorted.map((album) => toItem(album, kinds.get(album.id) ?? '')))
  for (const [id, kind] of kinds) if (kind) log(`${kind}: ${texts.get(id)}`)
  for (const [id, text] of shown ?? []) if (!texts.has(id)) log(`removed: ${text}`)
  announce(`${albums.length} albums`)
  shown = texts
}

/** Returns the class of an item: `added`, `changed` or none. */
function kindOf(id: string, texts: ReadonlyMap<string, string>): string {
  const before = shown?.get(id)
  if (!shown || before === texts.get(id)) return ''
  return before === undefined ? 'added' : 'changed'
}

function textOf({ title, status, artist }: Album): string {
  return `${title}, ${artist?.name ?? 'unknown artist'}, ${status}`
}

function toItem({ title, status, artist }: Album, className: string): HTMLElement {
  return create(
    'li',
    { className },
    create('strong', {}, title),
    create('span', {}, artist?.name ?? 'Unknown artist'),
    create('span', { className: status }, status),
  )
}

function log(text: string): void {
  const changes = find('#changes', HTMLElement)
  changes.prepend(create('li', {}, text))
  while (changes.children.length > maxChanges) changes.lastElementChild?.remove()
}
