import Joi from 'joi'
import { compare, defineResource } from '#kernel'
import type { DeclaredFilter, FilterBuilders } from '#plugins/filtering/index.ts'
import { cursor, fixedPage, menu, offset, page } from '#plugins/pagination/index.ts'
import { Membership, Song } from './entities.ts'

defineResource(Song, {
  type: 'songs',
  countable: true,
  perPage: 5,
  maxPerPage: 50,
  fields: ({ id, belongsTo, hasMany, belongsToMany }) => [
    id(),
    belongsTo('band', 'bands').withFilters(({ where }) => [where('name')]),
    hasMany('links', 'links')
      .paginate(offset({ size: 5, max: 10, withCount: true }))
      .countable(),
    hasMany('all', 'links')
      .storedAs('links')
      .paginate(menu(page(), fixedPage({ size: 3 }), cursor().named('walk')).defaultKind('walk'))
      .withSorts({ number: 'id' }),
    belongsToMany('bands', 'bands')
      .through(Membership)
      .fields(({ integer }) => [integer('position')])
      .withFilters(({ where, contains }) => [where('position', 'pivot.position'), contains('name')])
      .withSorts({ called: 'name', both: { handler: (descending) => [{ property: 'name', descending }] } }),
  ],
  filters: ({ where, contains, custom }) => [
    where('title').singular(),
    contains('subtitle'),
    custom('q').handledBy('s'),
  ],
  sorts: {
    length: 'plays',
    fame: { handler: (descending) => [{ property: 'plays', descending }] },
    named: { handler: 'byName' },
    hidden: { property: 'price', availableWhen: (request) => request.principal !== null },
  },
})

const filters = (declare: (builders: FilterBuilders<Song>) => readonly DeclaredFilter[]) => declare

filters(({ where, whereIn, whereNotIn, whereIdIn, whereIdNotIn, whereNull, whereNotNull }) => [
  where('longer', 'plays', '>').integer().describedAs('Played more often'),
  where('title').pattern('[a-z]+').constrain(Joi.string().max(5)).default('x').fixed('y'),
  whereIn('genres').singular().delimiter('|'),
  whereNotIn('code').uuid(4),
  whereIdIn().delimiter(';'),
  whereIdNotIn('notBy', 'band'),
  whereNull('undated', 'recordedAt').availableWhen((request) => request.principal !== null),
  whereNotNull('recordedAt'),
])

filters(({ whereHas, whereDoesntHave, whereThrough, whereHasMatching }) => [
  whereHas('band'),
  whereDoesntHave('unlinked', 'links'),
  whereThrough('band.name').operator('like'),
  whereThrough('colour', 'links.song.sleeve.colour'),
  whereHasMatching('by', 'band', (value) => ({ name: String(value) })),
])

filters(({ contains, startsWith, endsWith, numeric, boolean, range, dateRange }) => [
  contains('title'),
  startsWith('subtitle').deserializeUsing((text) => text.trim()),
  endsWith('end', 'title'),
  numeric('plays').numeric(),
  boolean('live').boolean().asBoolean(),
  range('price'),
  dateRange('recordedAt'),
])

filters(({ greaterThan, greaterThanOrEqual, lessThan, lessThanOrEqual, whereAll, whereAny, contains, custom }) => [
  greaterThan('over', 'plays'),
  greaterThanOrEqual('from', 'plays'),
  lessThan('under', 'plays'),
  lessThanOrEqual('to', 'plays'),
  whereAll('both', contains('title'), contains('subtitle')),
  whereAny('either', contains('title'), contains('subtitle')),
  custom('q').handledBy('search', 'title', 'subtitle'),
  custom('loud').condition((value) => compare('plays', '>', value)),
])

filters(({ where, whereIn, whereNotIn, whereNull, whereNotNull, contains, startsWith, endsWith }) => [
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  where('titel'),
  // @ts-expect-error 'links' is not a property of the entity; name one after the key.
  whereIn('links'),
  // @ts-expect-error 'shout' is not a property of the entity; name one after the key.
  whereNotIn('shout'),
  // @ts-expect-error 'band' is not a property of the entity; name one after the key.
  whereNull('band'),
  // @ts-expect-error 'bands' is not a property of the entity; name one after the key.
  whereNotNull('bands'),
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  contains('titel'),
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  startsWith('titel'),
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  endsWith('titel'),
])

filters(({ numeric, boolean, range, dateRange, greaterThan, greaterThanOrEqual, lessThan, lessThanOrEqual }) => [
  // @ts-expect-error 'number' is not a property of the entity; name one after the key.
  numeric('number'),
  // @ts-expect-error 'alive' is not a property of the entity; name one after the key.
  boolean('alive'),
  // @ts-expect-error 'cost' is not a property of the entity; name one after the key.
  range('cost'),
  // @ts-expect-error 'recorded' is not a property of the entity; name one after the key.
  dateRange('recorded'),
  // @ts-expect-error 'over' is not a property of the entity; name one after the key.
  greaterThan('over'),
  // @ts-expect-error 'from' is not a property of the entity; name one after the key.
  greaterThanOrEqual('from'),
  // @ts-expect-error 'under' is not a property of the entity; name one after the key.
  lessThan('under'),
  // @ts-expect-error 'to' is not a property of the entity; name one after the key.
  lessThanOrEqual('to'),
])

filters(({ whereHas, whereDoesntHave, whereThrough, custom }) => [
  // @ts-expect-error 'title' is not a relation of the entity; name one after the key.
  whereHas('title'),
  // @ts-expect-error 'unreferenced' is not a relation of the entity; name one after the key.
  whereDoesntHave('unreferenced'),
  // @ts-expect-error 'bond' is not a relation of the entity.
  whereThrough('bond.name'),
  // @ts-expect-error 'nome' is not a property of the entity that 'band' leads to.
  whereThrough('named', 'band.nome'),
  // @ts-expect-error A path consists of relations and a property: artist.name.
  whereThrough('title'),
  // @ts-expect-error A custom filter needs condition() or handledBy().
  custom('q'),
])

filters(({ where, whereIdIn, whereIdNotIn, contains, numeric, range }) => [
  // @ts-expect-error '"band"' is not assignable to parameter of type
  where('by', 'band'),
  // @ts-expect-error '"~"' is not assignable to parameter of type
  where('title', 'title', '~'),
  // @ts-expect-error '"title"' is not assignable to parameter of type
  whereIdIn('title', 'title'),
  // @ts-expect-error Property 'singular' does not exist
  whereIdNotIn().singular(),
  // @ts-expect-error Property 'singular' does not exist
  contains('title').singular(),
  // @ts-expect-error Property 'operator' does not exist
  numeric('plays').operator('>'),
  // @ts-expect-error Property 'delimiter' does not exist
  range('price').delimiter('|'),
])

filters(({ whereThrough, whereHasMatching, whereAll, whereAny, contains, custom }) => [
  // @ts-expect-error '"~"' is not assignable to parameter of type
  whereThrough('band.name').operator('~'),
  // @ts-expect-error 'nome' does not exist in type
  whereHasMatching('by', 'band', { nome: 'x' }),
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  whereAll('both', contains('titel')),
  // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
  whereAny('either', 'title'),
  // @ts-expect-error '"titel"' is not assignable to parameter of type
  custom('q').handledBy('search', 'titel'),
  // @ts-expect-error Type 'boolean' is not assignable to type 'Condition | undefined'.
  custom('loud').condition(() => true),
])

filters(({ where }) => [
  // @ts-expect-error is not assignable to parameter of type 'PresetValue'.
  where('title').default(null),
  // @ts-expect-error is not assignable to parameter of type 'PresetValue'.
  where('title').fixed(undefined),
  // @ts-expect-error Expected 0 arguments, but got 1.
  where('plays').integer(1),
  // @ts-expect-error Expected 0 arguments, but got 1.
  where('plays').numeric('x'),
  // @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'number'.
  where('code').uuid('4'),
  // @ts-expect-error Expected 0 arguments, but got 1.
  where('live').boolean(true),
  // @ts-expect-error Expected 0 arguments, but got 1.
  where('live').asBoolean(true),
  // @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'string | RegExp'.
  where('title').pattern(5),
  // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
  where('title').constrain(5),
  // @ts-expect-error Type 'number' is not assignable to type 'boolean'.
  where('title').availableWhen(() => 1),
  // @ts-expect-error '(text: number) => number' is not assignable to parameter of type '(text: string) => unknown'.
  where('title').deserializeUsing((text: number) => text),
  // @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'string'.
  where('title').describedAs(1),
])

defineResource(Song, {
  type: 'songs',
  // @ts-expect-error Type 'string' is not assignable to type 'boolean'.
  countable: 'yes',
  // @ts-expect-error Type 'string' is not assignable to type 'number'.
  perPage: '5',
  // @ts-expect-error Type 'string' is not assignable to type 'number'.
  maxPerPage: '50',
  fields: ({ id, belongsTo, hasMany }) => [
    id(),
    // @ts-expect-error Property 'countable' does not exist
    belongsTo('band', 'bands').countable(),
    // @ts-expect-error 'title' is not a property of the entity; name one after the key.
    belongsTo('band', 'bands').withFilters(({ where }) => [where('title')]),
    // @ts-expect-error Type '"title"' is not assignable to type
    belongsTo('band', 'bands').withSorts({ title: 'title' }),
    // @ts-expect-error 'kind' does not exist in type
    hasMany('links', 'links').paginate(menu(page({ kind: 'a' }))),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error 'titel' is not a property of the entity; name one after the key.
  filters: ({ where }) => [where('titel')],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  filters: ({ where }) => [
    // @ts-expect-error '"pivot.position"' is not assignable to parameter of type
    where('position', 'pivot.position'),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error is not assignable to type
  sorts: { fame: {} },
})

// @ts-expect-error is missing the following properties from type 'Strategy<
menu(menu(page()))
// @ts-expect-error Expected 1 arguments, but got 0.
menu(page()).defaultKind()
// @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'string'.
page().named(1)
// @ts-expect-error 'max' does not exist in type 'FixedPageOptions'.
fixedPage({ max: 5 })
// @ts-expect-error 'limit' does not exist in type 'PageOptions'.
offset({ limit: 5 })
// @ts-expect-error 'withCount' does not exist in type 'CursorOptions'.
cursor({ withCount: true })
