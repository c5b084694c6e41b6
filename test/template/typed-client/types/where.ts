import type { ApiOf } from '#app/api-types/api-of.ts'
import { createClient, where } from '#client'
import { defineResource } from '#kernel'
import type {} from '#plugins/filter-expressions/index.ts'
import { Band, Link, Sleeve, Song } from '#test/template/types/entities.ts'
import { exactly } from './api.ts'

// Filter expressions: the names, the operators and the values that a builder accepts.

const songs = defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, uuid, integer, boolean, dateTime, belongsTo, hasOne, hasMany }) => [
    id(),
    string('title').filterable(),
    string('subtitle').nullable(),
    uuid('code').filterable(),
    integer('plays').filterable(),
    boolean('live').filterable(),
    dateTime('recordedAt').nullable().filterable(),
    belongsTo('band', 'bands').filterable(),
    hasOne('sleeve', 'sleeves'),
    hasMany('links', 'links').filterable(),
  ],
})
const bands = defineResource(Band, { type: 'bands', fields: ({ id, string }) => [id(), string('name').filterable()] })
const sleeves = defineResource(Sleeve, {
  type: 'sleeves',
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('colour').enum(['red', 'blue']).filterable(),
    belongsTo('song', 'songs').filterable(),
  ],
})
const links = defineResource(Link, {
  type: 'links',
  fields: ({ id, belongsTo }) => [id(), belongsTo('song', 'songs').filterable()],
})

interface Folders {
  readonly songs: { readonly resource: typeof songs }
  readonly bands: { readonly resource: typeof bands }
  readonly sleeves: { readonly resource: typeof sleeves }
  readonly links: { readonly resource: typeof links }
}
type Api = ApiOf<Folders, 'default', Record<never, never>>
const api = createClient<Api>({ url: '' })

await api.songs.list({
  filter: {
    where: ({ and, or, not, has, eq, ne, gt, ge, lt, le, contains, starts, ends, isIn, isNull }) =>
      and(
        or(eq('title', 'x'), ne('code', 'x'), gt('plays', 3), ge('title', 'a'), lt('recordedAt', '2024-01-01')),
        not(le('plays', 3)),
        has('band'),
        has('links', (link) => link.eq('song.band.name', 'x')),
        contains('title', 'x'),
        starts('band.name', 'x'),
        ends('title', 'x'),
        isIn('id', '1', '2'),
        isIn('plays', 1, 2),
        eq('live', true),
        isNull('recordedAt'),
      ),
  },
})
await api.songs.list({ filter: { where: "eq(title,'x')" } })
await api.songs.related('1', 'links', { filter: { where: ({ has }) => has('song', ({ eq }) => eq('live', false)) } })
await api.songs.related('1', 'band', { filter: { where: ({ eq }) => eq('name', 'x') } })
await api.sleeves.list({ filter: { where: ({ eq }) => eq('colour', 'red') } })
exactly<string>()(where<Api, 'songs'>(({ eq }) => eq('title', 'x')))

// @ts-expect-error Argument of type '"subtitle"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ eq }) => eq('subtitle', 'x') } })
// @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'string'.
await api.songs.list({ filter: { where: ({ eq }) => eq('title', 3) } })
// @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'number'.
await api.songs.list({ filter: { where: ({ gt }) => gt('plays', '3') } })
// @ts-expect-error Argument of type '"plays"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ contains }) => contains('plays', '3') } })
// @ts-expect-error Argument of type '"code"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ gt }) => gt('code', 'x') } })
// @ts-expect-error Argument of type '"colour"' is not assignable to parameter of type
await api.sleeves.list({ filter: { where: ({ contains }) => contains('colour', 'r') } })
// @ts-expect-error Argument of type '"green"' is not assignable to parameter of type
await api.sleeves.list({ filter: { where: ({ eq }) => eq('colour', 'green') } })
// @ts-expect-error Argument of type '"sleeve"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ has }) => has('sleeve') } })
// @ts-expect-error Argument of type '"links.id"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ eq }) => eq('links.id', '1') } })
// @ts-expect-error Argument of type '"title"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ has }) => has('band', ({ eq }) => eq('title', 'x')) } })
// @ts-expect-error Argument of type '"id"' is not assignable to parameter of type
await api.songs.list({ filter: { where: ({ isNull }) => isNull('id') } })
// @ts-expect-error Expected at least 1 arguments, but got 0.
await api.songs.list({ filter: { where: ({ or }) => or() } })
