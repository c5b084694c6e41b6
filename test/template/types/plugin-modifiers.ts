import { defineResource } from '#kernel'
import { type Needs, Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import { cursor, page } from '#plugins/pagination/index.ts'
import { type Band, Song } from './entities.ts'

class SongPolicy extends Policy<Song> {
  static override readonly needs = { view: ['live'], update: ['live', 'band.name'] } satisfies Needs<Song>

  override scope() {
    return { live: true }
  }
  override viewAny() {
    return true
  }
  override view(_principal: unknown, song: PolicyRow<Song>) {
    return song.live
  }
  override update(_principal: unknown, song: PolicyRow<Song>) {
    return song.live && song.band?.name !== ''
  }
}

class BandPolicy extends Policy<Band> {
  override scope() {
    return { name: 'Radiohead' }
  }
}

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, belongsTo, hasMany }) => [
    id(),
    string('title').sortable().notSparseField().describedAs('As on the sleeve').example('Airbag').deprecated(),
    string('subtitle').sparseByDefault(),
    belongsTo('band', 'bands').cannotBeIncluded().sparseByDefault().security({ read: 'view', mutate: 'update' }),
    hasMany('links', 'links')
      .paginate(cursor({ size: 5 }))
      .cannotBeIncluded((_, request) => request.principal === null),
    hasMany('all', 'links').storedAs('links').withoutPagination().notSparseField().countable(),
    belongsTo('group', 'bands')
      .storedAs('band')
      .withSorts({ label: 'name' })
      .withFilters(({ contains }) => [contains('name')]),
  ],
  sorts: { length: 'plays' },
  defaultSort: ['-length'],
  defaultIncludes: (song) => (song.live ? ['band'] : []),
  maxIncludeDepth: 2,
  allowedIncludePaths: ['band'],
  pagination: (serverDefault) => serverDefault ?? page({ size: 5 }),
  policy: SongPolicy,
  abilities: { read: 'view', delete: false },
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, hasMany }) => [
    id(),
    // @ts-expect-error 'titel' is not a property of the entity; say storedAs() or computed().
    string('titel').required().maxLength(200).sortable(),
    // @ts-expect-error 'titel' is not a property of the entity; say storedAs() or computed().
    string('titel').sparseByDefault(),
    // @ts-expect-error 'band' is not a collection of the entity.
    hasMany('band', 'bands').paginate(page()),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, belongsTo, hasMany }) => [
    id(),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').sortable(true),
    // @ts-expect-error Property 'sortable' does not exist
    belongsTo('band', 'bands').sortable(),
    // @ts-expect-error Property 'paginate' does not exist
    belongsTo('band', 'bands').paginate(page()),
    // @ts-expect-error Property 'withoutPagination' does not exist
    belongsTo('band', 'bands').withoutPagination(),
    // @ts-expect-error Object literal may only specify known properties, and 'size' does not exist in type
    hasMany('links', 'links').paginate({ size: 5 }),
    // @ts-expect-error Property 'security' does not exist
    string('title').security({ read: 'view' }),
    // @ts-expect-error Object literal may only specify known properties, and 'write' does not exist in type
    belongsTo('band', 'bands').security({ write: 'update' }),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    string('title').describedAs(1),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').deprecated('since 2026'),
    // @ts-expect-error Property 'cannotBeIncluded' does not exist
    string('title').cannotBeIncluded(),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').notSparseField(true),
    // @ts-expect-error Expected 1 arguments, but got 0.
    string('title').example(),
    // @ts-expect-error Expected 0 arguments, but got 1.
    hasMany('links', 'links').countable(true),
    // @ts-expect-error Property 'countable' does not exist
    belongsTo('band', 'bands').countable(),
    // @ts-expect-error Type '"nmae"' is not assignable to type
    belongsTo('band', 'bands').withSorts({ label: 'nmae' }),
    // @ts-expect-error 'nmae' is not a property of the entity; name one after the key.
    belongsTo('band', 'bands').withFilters(({ where }) => [where('nmae')]),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error Type '"titel"' is not assignable to type
  sorts: { length: 'titel' },
  // @ts-expect-error Type 'string' is not assignable to type
  defaultSort: '-title',
  // @ts-expect-error Property 'titel' does not exist
  defaultIncludes: (song) => [song.titel],
  // @ts-expect-error Type 'string' is not assignable to type
  maxIncludeDepth: '2',
  // @ts-expect-error Type 'number' is not assignable to type
  allowedIncludePaths: [2],
  // @ts-expect-error Type '{ size: number; }' is missing the following properties
  pagination: () => ({ size: 5 }),
  // @ts-expect-error Type 'typeof BandPolicy' is not assignable to type
  policy: BandPolicy,
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error Type '"band"' is not assignable to type
  sorts: { length: 'band' },
  // @ts-expect-error Type 'SongPolicy' is not assignable to type
  policy: new SongPolicy(),
})

page({
  // @ts-expect-error Object literal may only specify known properties, and 'sise' does not exist in type
  sise: 5,
})

cursor({
  // @ts-expect-error Type 'string' is not assignable to type
  size: '5',
})

class LostPolicy extends Policy<Song> {
  static override readonly needs = {
    // @ts-expect-error Type '"lvie"' is not assignable to type
    view: ['lvie'],
    // @ts-expect-error Type '"band.nmae"' is not assignable to type
    update: ['band.nmae'],
  } satisfies Needs<Song>

  // @ts-expect-error Property 'scope' in type 'LostPolicy' is not assignable to the same property
  override scope() {
    return { lvie: true }
  }
}
new LostPolicy()
