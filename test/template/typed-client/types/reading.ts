import { createClient, type Page, type Ref } from '#client'
import { admin, api, exactly, type SongsApi } from './api.ts'

// Reading: what include, fields, filters, sorts and pages accept and return.

const song = await api.songs.get('1')
exactly<'songs'>()(song.type)
exactly<string>()(song.id)
exactly<string>()(song.title)
exactly<string | null>()(song.subtitle)
exactly<string>()(song.code)
exactly<number>()(song.plays)
exactly<boolean | undefined>()(song.live)
exactly<string | null>()(song.recordedAt)
exactly<'calm' | 'wild' | null>()(song.mood)
exactly<string>()(song.label)
exactly<number | undefined>()(song.played)
exactly<{ value: number }>()(song.half)
exactly<string[]>()(song.genres)
exactly<{ note?: string }>()(song.extras)
exactly<string | undefined>()(song.credits?.title)
exactly<string | null | undefined>()(song.credits?.subtitle)
exactly<string | undefined>()(song.band?.name)
exactly<string>()(song.$etag)
// @ts-expect-error Property '$etag' does not exist on type
song.band?.$etag
exactly<Readonly<Record<string, number>> | undefined>()(song.$counts)
// @ts-expect-error Property 'titel' does not exist on type
song.titel
// @ts-expect-error Property 'price' does not exist on type
song.price
// @ts-expect-error Property 'secret' does not exist on type
song.secret
// @ts-expect-error Property 'links' does not exist on type
song.links
// @ts-expect-error Property 'sleeve' does not exist on type
song.sleeve
// @ts-expect-error Cannot assign to 'title' because it is a read-only property.
song.title = 'x'
// @ts-expect-error 'song.band' is possibly 'null'.
song.band.name

const bare = await api.songs.get('1', { include: [] })
exactly<string | undefined>()(bare.band?.id)
// @ts-expect-error Property 'name' does not exist on type
bare.band?.name

const wide = await api.songs.get('1', { include: ['band', 'links.member', 'bands'] })
exactly<string | undefined>()(wide.band?.name)
exactly<'links' | undefined>()(wide.links[0]?.type)
exactly<'bands' | 'sleeves' | undefined>()(wide.links[0]?.member?.type)
exactly<'songs' | undefined>()(wide.links[0]?.song?.type)
exactly<string | undefined>()(wide.bands[0]?.name)
exactly<number | undefined>()(wide.bands[0]?.$meta?.pivot.position)
const member = wide.links[0]?.member
if (member?.type === 'sleeves') {
  exactly<'blue' | 'red'>()(member.colour)
  exactly<{ readonly width: number | null; readonly unit: string | null }>()(member.size)
  exactly<number>()(member.area)
}
// @ts-expect-error Property 'name' does not exist on type
member?.name
// @ts-expect-error Property 'title' does not exist on type
wide.links[0]?.song?.title

const narrow = await api.songs.get('1', { include: ['band'], fields: { songs: ['title', 'band'], bands: [] } })
exactly<string>()(narrow.title)
exactly<'bands' | undefined>()(narrow.band?.type)
// @ts-expect-error Property 'plays' does not exist on type
narrow.plays
// @ts-expect-error Property 'name' does not exist on type
narrow.band?.name
const withoutRelation = await api.songs.get('1', { include: ['band'], fields: { songs: ['title'] } })
// @ts-expect-error Property 'band' does not exist on type
withoutRelation.band

// @ts-expect-error Type '"bnad"' is not assignable to type '"band" | "bands" | "links" | "links.member" | "links.member.song"
api.songs.get('1', { include: ['bnad'] })
// @ts-expect-error is not assignable to type
api.songs.get('1', { include: ['sleeve'] })
// @ts-expect-error is not assignable to type
api.songs.get('1', { include: ['links.song.band.name'] })
// @ts-expect-error Type 'string' is not assignable to type 'readonly
api.songs.get('1', { include: 'band' })
api.links.get('1', { include: ['song', 'song.band'] })
// @ts-expect-error Type '"member"' is not assignable to type '"song" | "song.band"'.
api.links.get('1', { include: ['member'] })
// @ts-expect-error Type '"titel"' is not assignable to type
api.songs.get('1', { fields: { songs: ['titel'] } })
// @ts-expect-error 'links' does not exist in type
api.songs.get('1', { fields: { links: ['song'] } })
// @ts-expect-error The response contains no 'links'; include a relation to it.
api.songs.get('1', { fields: { songs: ['title'], links: ['song'] } })
api.songs.get('1', { include: ['links'], fields: { links: ['song'] } })
// @ts-expect-error 'filter' does not exist in type
api.songs.get('1', { filter: { plays: 1 } })
// @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'string'.
api.songs.get(1)
// @ts-expect-error Property 'sonsg' does not exist on type
api.sonsg
// @ts-expect-error Expected 1-2 arguments, but got 0.
api.songs.get()

const songs = await api.songs.list({
  filter: {
    plays: 1,
    genres: ['dub', 'rock'],
    undated: true,
    title: 'ok',
    price: { min: 1 },
    live: null,
    q: 'a',
    trashed: 'with',
  },
  sort: ['-title', 'recordedAt', 'length'],
  page: { number: 2, size: 5 },
  withCount: ['links', '_self_'],
})
exactly<string | undefined>()(songs.data[0]?.title)
exactly<string | null>()(songs.etag)
exactly<typeof songs | null>()(await songs.next())
for await (const row of api.songs.list()) exactly<string>()(row.title)
for await (const { data } of api.songs.list().pages()) exactly<string | undefined>()(data[0]?.title)
const promise: Promise<Page<{ readonly title: string }>> = api.songs.list()
api.songs.list({ page: { kind: 'walk', after: 'x' } })
// @ts-expect-error Type '"nme"' is not assignable to type
api.songs.list({ sort: 'nme' })
// @ts-expect-error Type '"plays"' is not assignable to type
api.songs.list({ sort: ['title', 'plays'] })
// @ts-expect-error Type '"--title"' is not assignable to type
api.songs.list({ sort: '--title' })
// @ts-expect-error 'titel' does not exist in type
api.songs.list({ filter: { titel: 'x' } })
// @ts-expect-error Type 'string' is not assignable to type 'number'.
api.songs.list({ filter: { plays: '1' } })
// @ts-expect-error Type 'boolean' is not assignable to type 'string'.
api.songs.list({ filter: { title: true } })
// @ts-expect-error Type 'false' is not assignable to type 'true'.
api.songs.list({ filter: { undated: false } })
// @ts-expect-error 'from' does not exist in type
api.songs.list({ filter: { price: { from: 1 } } })
// @ts-expect-error Type 'null' is not assignable to type 'string | undefined'.
api.songs.list({ filter: { title: null } })
// @ts-expect-error Type '"all"' is not assignable to type '"only" | "with" | undefined'.
api.songs.list({ filter: { trashed: 'all' } })
// @ts-expect-error 'code' does not exist in type
api.songs.list({ filter: { code: 'x' } })
// @ts-expect-error 'offset' does not exist in type
api.songs.list({ page: { offset: 1 } })
// @ts-expect-error Type '"walking"' is not assignable to type
api.songs.list({ page: { kind: 'walking' } })
// @ts-expect-error Type 'string' is not assignable to type 'number'.
api.songs.list({ page: { size: '5' } })
// @ts-expect-error Type '"bands"' is not assignable to type '"_self_" | "links"'.
api.songs.list({ withCount: ['bands'] })
// @ts-expect-error 'filtre' does not exist in type
api.songs.list({ filtre: {} })
// @ts-expect-error is not assignable to type 'undefined'.
api.links.list({ page: { number: 1 } })
// @ts-expect-error Type '"id"' is not assignable to type 'readonly Sort<"name">[]
api.bands.list({ sort: 'id' })

exactly<string | undefined>()((await api.songs.find({ code: 'x' }))?.title)
// @ts-expect-error Property 'find' does not exist on type
api.bands.find({ title: 'x' })

const band = await api.songs.related('1', 'band')
exactly<string | undefined>()(band?.name)
const related = await api.songs.related('1', 'links', {
  include: ['song'],
  filter: { after: 3 },
  sort: 'number',
  page: { offset: 2, limit: 2 },
})
exactly<string | undefined>()(related.data[0]?.song?.title)
for await (const link of api.songs.related('1', 'links')) exactly<'links'>()(link.type)
exactly<Ref<'bands'> | null>()(await api.songs.linkage('1', 'band'))
exactly<readonly Ref<'links'>[]>()(await api.songs.linkage('1', 'links'))
// @ts-expect-error Argument of type '"title"' is not assignable to parameter of type
api.songs.related('1', 'title')
// @ts-expect-error 'number' does not exist in type
api.songs.related('1', 'links', { page: { number: 1 } })
// @ts-expect-error Type 'string' is not assignable to type 'number'.
api.songs.related('1', 'links', { filter: { after: '3' } })
// @ts-expect-error Argument of type '"name"' is not assignable to parameter of type
api.songs.linkage('1', 'name')
// @ts-expect-error Property 'related' does not exist on type
api.bands.related('1', 'songs')

// The other server has songs only: their bands are linked, not shown.
exactly<string>()((await admin.songs.get('1')).title)
// @ts-expect-error Property 'bands' does not exist on type
admin.bands
// @ts-expect-error Type 'string' is not assignable to type 'never'.
admin.songs.get('1', { include: ['band'] })
// @ts-expect-error Property 'band' does not exist on type
;(await admin.songs.get('1')).band
// @ts-expect-error Argument of type '"band"' is not assignable to parameter of type 'never'.
admin.songs.related('1', 'band')

// @ts-expect-error Property 'paths' is missing in type
createClient<SongsApi>({ url: '' })
// @ts-expect-error Type '"songs"' is not assignable to type '"all-songs"'.
createClient<SongsApi>({ url: '', paths: { songs: 'songs', 'songs.band': 'group' } })
// @ts-expect-error Property 'url' is missing in type
createClient<SongsApi>({ paths: { songs: 'all-songs', 'songs.band': 'group' } })

export { promise }

// Filters of enum columns, and of attributes that list their values, accept these.
api.sleeves.list({ filter: { finish: 'matt', papers: ['thin', 'thick'], colour: 'blue' } })
// @ts-expect-error Type '"glossy"' is not assignable to type '"gloss" | "matt" | undefined'.
api.sleeves.list({ filter: { finish: 'glossy' } })
// @ts-expect-error Type '"green"' is not assignable to type '"blue" | "red" | undefined'.
api.sleeves.list({ filter: { colour: 'green' } })
