import type { ApiOf } from '#app/api-types/api-of.ts'
import { createClient } from '#client'
import { defineError, defineResource } from '#kernel'
import { data, defineAction, meta, noContent } from '#plugins/actions/index.ts'
import { accepted } from '#plugins/async-writes/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import { cursor, menu, offset, page } from '#plugins/pagination/index.ts'
import { noContent as noContentResponse } from '#plugins/responses/index.ts'
import { Band, Link, Membership, Sleeve, Song } from '#test/template/types/entities.ts'

// Declarations with every word that changes the surface of the API, and clients of two servers.

const songFull = defineError('SONG_FULL', 409, 'Song is full', 'The song has {count} links.', {
  when: 'A song has as many links as it may have.',
  otherStatuses: [422],
})
const uploadBroken = defineError('UPLOAD_BROKEN', 422, 'Upload is broken', 'The upload ends at {position}.')
const nameTaken = defineError('NAME_TAKEN', 409, 'Name is taken', 'Another song is called {name}.')
const quotaUsed = defineError('QUOTA_USED', 403, 'Quota is used', 'No song can be added before {time}.')

class SongPolicy extends Policy<Song> {
  static override readonly errors = [quotaUsed]
}

const songs = defineResource(Song, {
  type: 'songs',
  errors: [songFull],
  policy: SongPolicy,
  uriType: 'all-songs',
  server: ['default', 'admin'],
  countable: true,
  fields: ({
    id,
    string,
    uuid,
    integer,
    decimal,
    boolean,
    dateTime,
    arrayList,
    arrayHash,
    map,
    belongsTo,
    hasOne,
    hasMany,
    belongsToMany,
  }) => [
    id(),
    string('title').required().sortable(),
    string('subtitle').nullable(),
    uuid('code').readOnlyOnUpdate(),
    integer('plays').readOnly(),
    decimal('price').hidden(),
    boolean('live').hiddenFor((caller) => caller.principal === null),
    dateTime('recordedAt').nullable().sortable(),
    string('mood').computed().enum(['calm', 'wild']),
    string('label').computedUsing(({ title }) => title),
    string('secret').computed().writeOnly().requiredOnCreate(),
    integer('played').storedAs('plays').sparseByDefault(),
    integer('half')
      .storedAs('plays')
      .serializeUsing(({ plays }) => ({ value: plays / 2 })),
    arrayList('genres'),
    arrayHash('extras'),
    map('credits', string('title'), string('subtitle').nullable().readOnly()).nullable(),
    belongsTo('band', 'bands').required().withUriFieldName('group'),
    hasOne('sleeve', 'sleeves').cannotBeIncluded(),
    hasMany('links', 'links')
      .paginate(offset())
      .withFilters(({ where }) => [where('after', 'id', '>').integer()])
      .withSorts({ number: 'id' })
      .countable(),
    belongsToMany('bands', 'bands')
      .through(Membership)
      .fields(({ integer }) => [integer('position')])
      .cannotReplace(),
  ],
  filters: ({ where, whereIn, whereNull, contains, range, boolean, custom }) => [
    where('code').singular(),
    where('plays'),
    whereIn('genres'),
    whereNull('undated', 'recordedAt'),
    contains('title'),
    range('price'),
    boolean('live').default(true),
    custom('q').handledBy('search', 'title'),
  ],
  sorts: { length: 'plays' },
  pagination: () => menu(page(), cursor().named('walk')),
  defaultIncludes: ['band'],
  softDeletes: { property: 'recordedAt' },
  actions: ({ action }) => [
    action('upload', {
      input: 'raw',
      accepts: ['audio/mpeg'],
      answers: 'noContent',
      errors: [uploadBroken],
      handle: () => noContent(),
    }),
    action('statistics', { on: 'collection', method: 'GET', answers: 'meta', handle: () => meta({}) }),
  ],
})

const rename = defineAction(Song, {
  input: 'document',
  inputType: 'bands',
  answers: ['data', 'noContent'],
  errors: [nameTaken],
  handle: ({ subject }) => data(subject),
})

const bands = defineResource(Band, {
  type: 'bands',
  fields: ({ id, string }) => [id().requireClientId(), string('name').required().sortable()],
})

const sleeves = defineResource(Sleeve, {
  type: 'sleeves',
  fields: ({ id, string, integer, obj, belongsTo }) => [
    id().allowClientId(),
    string('colour').in(['red', 'blue']),
    obj('size', integer('width'), string('unit').nullable()),
    integer('area'),
    belongsTo('song', 'songs'),
  ],
  filters: ({ where, whereIn }) => [where('finish'), whereIn('papers', 'paper'), where('colour')],
  readOnly: true,
})

const links = defineResource(Link, {
  type: 'links',
  fields: ({ id, belongsTo, morphTo }) => [id(), belongsTo('song', 'songs'), morphTo('member', ['bands', 'sleeves'])],
  operations: ['FetchCollection', 'FetchOne', 'Create', 'Delete'],
  create: accepted('jobs'),
  delete: noContentResponse(),
  allowedIncludePaths: ['song', 'song.band'],
  pagination: () => null,
})

interface Folders {
  readonly songs: { readonly resource: typeof songs; readonly actions: { readonly rename: typeof rename } }
  readonly bands: { readonly resource: typeof bands }
  readonly sleeves: { readonly resource: typeof sleeves }
  readonly links: { readonly resource: typeof links }
}
interface Errors {
  readonly CONFLICT: 409
  readonly NOT_FOUND: 404
}

export type SongsApi<Server extends string = 'default'> = ApiOf<Folders, Server, Errors>

const paths = { songs: 'all-songs', 'songs.band': 'group' } as const
export const api = createClient<SongsApi>({ url: 'http://127.0.0.1', paths })
export const admin = createClient<SongsApi<'admin'>>({ url: 'http://127.0.0.1/admin', paths })

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A compiler error unless the value has exactly the type: neither `any` nor a wider one. */
export declare function exactly<Expected>(): <Actual>(
  value: Actual,
  ...difference: Equal<Expected, Actual> extends true ? [] : [expected: Expected]
) => void
