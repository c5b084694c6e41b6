import { defineResource, type Persister } from '#kernel'
import { memoryProvider } from '#memory'
import { AcceptedForProcessing, accepted, defineJob, enqueue, seeOther } from '#plugins/async-writes/index.ts'
import { created, metaResult, noContent, ok } from '#plugins/responses/index.ts'
import { Song } from './entities.ts'

// Keys of plugins, and keys of the kernel with a typed value.

const play = defineJob<{ plays: number }>('play', async ({ plays }, { finish }) => {
  await finish(async ({ em }) => void (await em.nativeUpdate(Song, { plays }, { plays: plays + 1 })))
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  typeOf: (song) => (song.live ? 'songs' : ''),
  scope: (request) => (request ? { live: true } : true),
  provider: memoryProvider([]),
  persister: {} as Persister,
  writer: 'entities',
  perPage: 5,
  maxPerPage: 50,
  countable: true,
  filters: ({ contains, range }) => [contains('title'), range('count', 'plays')],
  schemas: { title: { type: 'string' } },
  exampleId: '1',
  examplePrincipal: 'ada@example.com',
  tags: ['Catalog'],
  descriptions: { Create: 'Adds a song.' },
  describeOperation: (kind, relation) => (relation ? `${kind} of ${relation}` : undefined),
  etags: true,
  requireIfMatch: true,
  issuesApiKeys: true,
  softDeletes: { property: 'title' },
  cacheHeaders: {
    max_age: 3600,
    s_maxage: 86400,
    public: true,
    vary: ['Accept'],
    operations: { collection: { max_age: 300, private: true, no_cache: true, must_revalidate: true } },
  },
  deprecation: new Date(0),
  sunset: 'Sat, 31 Dec 2050 23:59:59 GMT',
  sunsetLink: 'https://music.example/songs',
  requireIdempotencyKey: true,
  exceptions: [[RangeError, 409]],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  create: [created(), noContent(), accepted('jobs')],
  update: [ok(), accepted('jobs')],
  delete: [noContent(), metaResult()],
  fetchOne: [ok(), seeOther()],
  fetchCollection: ok(),
  completionLocation: (song) => (song.live ? '/songs/1' : null),
  job: play,
  async accept(song, { creating, context }) {
    if (!creating) return undefined
    const id = await enqueue(play, { plays: song.plays }, context)
    return AcceptedForProcessing.poll(`/jobs/${id}`).withJob({ id }, 'jobs').withRetryAfter(30).withMeta({ id })
  },
  beforeSave(song, creating, { request }) {
    if (creating && !request) song.title = 'made by the program'
  },
  beforeCreate: async (song) => {
    song.plays = 0
  },
  beforeUpdate(song, original) {
    song.plays = original.plays + 1
  },
  beforeDelete(song, { serverName }) {
    if (song.live) throw new Error(serverName)
  },
  beforeRelationshipMutate(song, { relation, mode }) {
    song.subtitle = `${relation.name} ${mode}`
  },
  afterCreate: () => undefined,
  afterUpdate: () => ({ kind: 'none', status: 204 }),
  afterSave: (_song, _creating, { type }) => ({ kind: 'meta', status: 200, meta: { type } }),
  afterDelete: async () => undefined,
  afterRelationshipMutate: (_song, { linkage }) => ({ kind: 'meta', status: 200, meta: { count: linkage.length } }),
  afterFetchOne: (song) => ({ kind: 'meta', status: 200, meta: { title: song.title } }),
  afterFetchCollection: (songs) => ({ kind: 'meta', status: 200, meta: { titles: songs.map(({ title }) => title) } }),
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error Type 'number' is not assignable to type
  uriType: 1,
  // @ts-expect-error Type 'true' is not assignable to type
  server: true,
  // @ts-expect-error Type 'string' is not assignable to type
  emitsSelfLink: 'no',
  // @ts-expect-error Property 'definition' is missing in type 'Error'
  errors: [new Error()],
  // @ts-expect-error Property 'titel' does not exist
  typeOf: (song) => song.titel,
  // @ts-expect-error Type '{}' is missing the following properties
  provider: {},
  // @ts-expect-error Type '{}' is missing the following properties
  persister: {},
  // @ts-expect-error Type '"statements"' is not assignable to type '"entities"'
  writer: 'statements',
  // @ts-expect-error Type 'string' is not assignable to type
  perPage: '5',
  // @ts-expect-error Type 'string' is not assignable to type
  maxPerPage: '5',
  // @ts-expect-error Type 'string' is not assignable to type
  countable: 'yes',
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  filters: ({ contains }) => [contains('titel')],
  // @ts-expect-error Type 'string' is not assignable to type
  schemas: { title: 'string' },
  // @ts-expect-error Type 'string' is not assignable to type
  tags: 'Catalog',
  // @ts-expect-error 'Make' does not exist
  descriptions: { Make: 'Adds a song.' },
  // @ts-expect-error is not assignable to type
  describeOperation: 'Adds a song.',
  // @ts-expect-error Type 'string' is not assignable to type
  etags: 'weak',
  // @ts-expect-error Type 'string' is not assignable to type
  requireIfMatch: 'always',
  // @ts-expect-error Type 'string' is not assignable to type
  issuesApiKeys: 'yes',
  // @ts-expect-error Type '"tune"' is not assignable to type
  softDeletes: { property: 'tune' },
  // @ts-expect-error Object literal may only specify known properties, but 'maxAge' does not exist in type
  cacheHeaders: { maxAge: 3600 },
  // @ts-expect-error Type 'number' is not assignable to type
  exampleId: 1,
  // @ts-expect-error Type 'null' is not assignable to type
  examplePrincipal: null,
  // @ts-expect-error Type 'false' is not assignable to type
  deprecation: false,
  // @ts-expect-error Type 'Date' is not assignable to type
  sunset: new Date(),
  // @ts-expect-error Type 'URL' is not assignable to type
  sunsetLink: new URL('https://music.example'),
  // @ts-expect-error Type 'string' is not assignable to type
  requireIdempotencyKey: 'yes',
  // @ts-expect-error Type 'string' is not assignable to type
  exceptions: [[RangeError, '409']],
  // @ts-expect-error Object literal may only specify known properties, and 'fetch' does not exist in type
  abilities: { fetch: 'view' },
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error is not assignable to type
  create: [ok()],
  // @ts-expect-error is not assignable to type
  update: created(),
  // @ts-expect-error is not assignable to type
  delete: accepted('jobs'),
  // @ts-expect-error is not assignable to type
  fetchOne: [noContent()],
  // @ts-expect-error is not assignable to type
  fetchCollection: seeOther(),
  // @ts-expect-error Property 'band' does not exist
  completionLocation: (song) => song.band,
  // @ts-expect-error is not assignable to type
  job: 'play',
  // @ts-expect-error is not assignable to type
  accept: async (song, { context }) => enqueue(play, { plays: song.plays }, context),
  // @ts-expect-error Property 'titel' does not exist
  beforeSave: (song) => void song.titel,
  // @ts-expect-error Property 'titel' does not exist
  beforeCreate: (song) => void song.titel,
  // @ts-expect-error Property 'titel' does not exist
  beforeUpdate: (_song, original) => void original.titel,
  // @ts-expect-error Property 'server' does not exist
  beforeDelete: (_song, { server }) => server,
  // @ts-expect-error Property 'relationship' does not exist
  beforeRelationshipMutate: (_song, { relationship }) => relationship,
  // @ts-expect-error is not assignable to type
  afterCreate: () => 201,
  // @ts-expect-error is not assignable to type
  afterUpdate: () => 'done',
  // @ts-expect-error Property 'relation' does not exist
  afterSave: (_song, _creating, { relation }) => relation,
  // @ts-expect-error is not assignable to type
  afterDelete: () => null,
  // @ts-expect-error Property 'titel' does not exist
  afterRelationshipMutate: (song) => song.titel,
  // @ts-expect-error Property 'band' does not exist
  afterFetchOne: (song) => song.band,
  // @ts-expect-error Property 'title' does not exist
  afterFetchCollection: (songs) => songs.title,
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error Type 'string' is not assignable to type
  scope: () => ({ live: 'always' }),
})
