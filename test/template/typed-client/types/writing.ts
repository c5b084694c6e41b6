import type { Accepted, Ref } from '#client'
import { admin, api, exactly } from './api.ts'

// Writing: what creates, updates, relationship verbs, actions and batches accept and return.

const band = api.bands.ref('b')
exactly<Ref<'bands'>>()(band)
const required = { title: 'x', secret: 'y' }
const created = await api.songs.create(required, { relations: { band } })
exactly<string>()(created.title)
exactly<string | undefined>()(created.band?.name)
api.songs.create(
  {
    ...required,
    subtitle: null,
    code: 'c',
    live: true,
    recordedAt: null,
    mood: 'wild',
    genres: ['a'],
    extras: { note: 'n' },
    credits: { title: 'x' },
    played: 3,
  },
  {
    relations: { band, links: [api.links.ref('1')], bands: [{ ...band, pivot: { position: 1 } }] },
    idempotencyKey: true,
  },
)
const included = await api.songs.create(required, {
  relations: { band },
  include: ['links'],
  fields: { links: ['song'] },
})
exactly<'songs' | undefined>()(included.links[0]?.song?.type)
// @ts-expect-error Expected 2 arguments, but got 1.
api.songs.create(required)
// @ts-expect-error Property 'relations' is missing in type
api.songs.create(required, { idempotencyKey: 'k' })
// @ts-expect-error Property 'band' is missing in type
api.songs.create(required, { relations: {} })
// @ts-expect-error Type 'null' is not assignable to type
api.songs.create(required, { relations: { band: null } })
// @ts-expect-error Property 'secret' is missing in type
api.songs.create({ title: 'x' }, { relations: { band } })
// @ts-expect-error 'titel' does not exist in type
api.songs.create({ ...required, titel: 'x' }, { relations: { band } })
// @ts-expect-error 'plays' does not exist in type
api.songs.create({ ...required, plays: 1 }, { relations: { band } })
// @ts-expect-error 'label' does not exist in type
api.songs.create({ ...required, label: 'x' }, { relations: { band } })
// @ts-expect-error 'price' does not exist in type
api.songs.create({ ...required, price: 1 }, { relations: { band } })
// @ts-expect-error Type 'null' is not assignable to type 'string'.
api.songs.create({ title: null, secret: 'y' }, { relations: { band } })
// @ts-expect-error Type 'number' is not assignable to type 'string'.
api.songs.create({ title: 1, secret: 'y' }, { relations: { band } })
// @ts-expect-error Type '"sad"' is not assignable to type '"calm" | "wild"'.
api.songs.create({ ...required, mood: 'sad' }, { relations: { band } })
// @ts-expect-error 'subtitle' does not exist in type
api.songs.create({ ...required, credits: { subtitle: 'x' } }, { relations: { band } })
// @ts-expect-error Type '"links"' is not assignable to type '"bands"'.
api.songs.create(required, { relations: { band: api.links.ref('1') } })
// @ts-expect-error Type 'string' is not assignable to type
api.songs.create(required, { relations: { band: '1' } })
// @ts-expect-error is missing the following properties from type 'readonly Ref<"links">[]'
api.songs.create(required, { relations: { band, links: api.links.ref('1') } })
// @ts-expect-error 'bnad' does not exist in type
api.songs.create(required, { relations: { band, bnad: band } })
// @ts-expect-error 'id' does not exist in type
api.songs.create(required, { relations: { band }, id: '1' })
// @ts-expect-error Type 'string' is not assignable to type 'number'.
api.songs.create(required, { relations: { band, bands: [{ ...band, pivot: { position: '1' } }] } })
// @ts-expect-error 'ifMatch' does not exist in type
api.songs.create(required, { relations: { band }, ifMatch: 'x' })
// @ts-expect-error Type 'number' is not assignable to type 'string | true'.
api.songs.create(required, { relations: { band }, idempotencyKey: 1 })
api.bands.create({ name: 'x' }, { id: 'b' })
// @ts-expect-error Property 'id' is missing in type
api.bands.create({ name: 'x' }, {})
// @ts-expect-error Property 'create' does not exist on type
api.sleeves.create({ colour: 'red' })
// @ts-expect-error Property 'update' does not exist on type
api.links.update('1', {})
const accepted = await api.links.create({}, { relations: { song: null } })
exactly<true>()(accepted.accepted)
exactly<string | null>()(accepted.location)
accepted satisfies Accepted<unknown>

const updated = await api.songs.update('1', { subtitle: null }, { ifMatch: created.$etag, relations: { links: [] } })
exactly<string>()(updated.title)
api.songs.update('1', {})
api.songs.update('1', {}, { relations: { band } })
// @ts-expect-error 'code' does not exist in type
api.songs.update('1', { code: 'c' })
// @ts-expect-error 'plays' does not exist in type
api.songs.update('1', { plays: 1 })
// @ts-expect-error Type 'null' is not assignable to type 'string'.
api.songs.update('1', { title: null })
// @ts-expect-error 'bands' does not exist in type
api.songs.update('1', {}, { relations: { bands: [] } })
// @ts-expect-error Expected 2-3 arguments, but got 1.
api.songs.update('1')
exactly<undefined>()(await api.songs.remove('1', { ifMatch: 'x', signal: AbortSignal.timeout(1) }))
// @ts-expect-error Property 'remove' does not exist on type
api.sleeves.remove('1')

api.songs.add('1', 'links', [api.links.ref('1')])
api.songs.add('1', 'bands', [{ ...band, pivot: { position: 1 } }])
api.songs.removeFrom('1', 'bands', [created.band ?? band])
api.songs.replace('1', 'band', band)
api.songs.replace('1', 'links', [])
// @ts-expect-error Argument of type '"band"' is not assignable to parameter of type '"bands" | "links"'.
api.songs.add('1', 'band', [band])
// @ts-expect-error Argument of type '"bands"' is not assignable to parameter of type '"band" | "links" | "sleeve"'.
api.songs.replace('1', 'bands', [band])
// @ts-expect-error Type '"bands"' is not assignable to type '"links"'.
api.songs.add('1', 'links', [band])
// @ts-expect-error is not assignable to parameter of type
api.songs.replace('1', 'links', null)
// @ts-expect-error is missing the following properties from type 'Ref<"bands">': type, id
api.songs.replace('1', 'band', [band])
admin.songs.replace('1', 'band', band)

const renamed = await api.songs.action('rename', {
  id: '1',
  input: { type: 'bands', attributes: { name: 'x' }, id: 'b' },
})
exactly<string | undefined>()(renamed?.title)
exactly<undefined>()(await api.songs.action('upload', { id: '1', input: 'x', contentType: 'audio/mpeg' }))
exactly<Readonly<Record<string, unknown>>>()(await api.songs.action('statistics', { method: 'GET' }))
exactly<string>()((await api.songs.action('restore', { id: '1' })).title)
exactly<undefined>()(await api.songs.action('forceDelete', { id: '1' }))
// @ts-expect-error Argument of type '"publish"' is not assignable to parameter of type '"forceDelete" | "rename" | "restore" | "statistics" | "upload"'.
api.songs.action('publish', { id: '1' })
// @ts-expect-error Expected 2 arguments, but got 1.
api.songs.action('statistics')
// @ts-expect-error Type '"POST"' is not assignable to type '"GET"'.
api.songs.action('statistics', { method: 'POST' })
// @ts-expect-error Property 'id' is missing in type
api.songs.action('rename', { input: { type: 'bands', attributes: { name: 'x' }, id: 'b' } })
// @ts-expect-error Property 'input' is missing in type
api.songs.action('rename', { id: '1' })
// @ts-expect-error Type 'number' is not assignable to type 'string'.
api.songs.action('rename', { id: '1', input: { type: 'bands', attributes: { name: 1 }, id: 'b' } })
// @ts-expect-error Type '"songs"' is not assignable to type '"bands"'.
api.songs.action('rename', { id: '1', input: { type: 'songs', attributes: { name: 'x' }, id: 'b' } })
// @ts-expect-error Type '"image/png"' is not assignable to type '"audio/mpeg"'.
api.songs.action('upload', { id: '1', input: 'x', contentType: 'image/png' })
// @ts-expect-error Property 'action' does not exist on type
api.bands.action('rename')

const batch = await api.$batch(({ bands, songs, links }) => {
  const local = bands.create({ name: 'x' }, { id: 'b' })
  const song = songs.create(required, { relations: { band: local } })
  songs.update(song, { title: 'y' }, { relations: { band: local } })
  songs.add(song, 'links', [links.ref('1')])
  songs.remove('2')
  return { song, changed: songs.update('1', {}), list: [local] }
})
exactly<string>()(batch.song.title)
exactly<string>()(batch.changed.title)
exactly<string | undefined>()(batch.list[0]?.name)
exactly<void>()(await api.$batch(({ songs }) => songs.remove('1')))
api.$batch(({ bands, songs }) => {
  const local = bands.create({ name: 'x' }, { id: 'b' })
  // @ts-expect-error Property 'secret' is missing in type
  songs.create({ title: 'x' }, { relations: { band: local } })
  // @ts-expect-error Type '"bands"' is not assignable to type '"links"'.
  songs.add('1', 'links', [local])
  // @ts-expect-error Argument of type 'Local<"bands">' is not assignable to parameter of type
  songs.update(local, {})
  // @ts-expect-error Property 'get' does not exist on type
  songs.get('1')
})

const outcome = await api.$attempt(api.songs.get('1'))
if (outcome.ok) exactly<string>()(outcome.value.title)
else if (outcome.error.code === 'CONFLICT') exactly<409>()(outcome.error.status)
else exactly<'NOT_FOUND' | 'SONG_FULL' | 'QUOTA_USED' | 'UPLOAD_BROKEN' | 'NAME_TAKEN' | null>()(outcome.error.code)
const caught: unknown = null
if (api.$isError(caught)) {
  exactly<string | undefined>()(caught.errors[0]?.detail)
  // @ts-expect-error This comparison appears to be unintentional because the types '"CONFLICT" |
  caught.code === 'CONFLCT'
}
