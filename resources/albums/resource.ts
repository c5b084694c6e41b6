import { defineResource } from '#kernel'
import { meta } from '#plugins/actions/index.ts'
import { page } from '#plugins/pagination/index.ts'
import { Album, albumStatuses } from './entity.ts'
import { AlbumPolicy } from './policy.ts'
import { summarize } from './summarize.ts'

export default defineResource(Album, {
  type: 'albums',
  exampleId: '1',
  examplePrincipal: 'admin',
  server: ['default', 'admin'],
  tags: ['Catalog'],
  fields: ({ id, string, decimal, boolean, dateTime, date, map, belongsTo, hasMany }) => [
    id(),
    string('title').required().maxLength(200).sortable().example('In Rainbows'),
    decimal('averageRating').nullable().readOnly(),
    string('artwork').nullable().readOnly(),
    dateTime('releasedAt')
      .nullable()
      .before(() => new Date())
      .useTimezone('UTC')
      .sortable(),
    boolean('explicit'),
    string('status').enum(albumStatuses).enumName('AlbumStatus').sortable(),
    date('availableFrom').nullable(),
    date('availableUntil').nullable().compareWith('availableFrom', 'GreaterThan'),
    map('releaseInfo', string('label').nullable(), string('catalogueNumber').nullable().readOnly()).nullable(),
    belongsTo('artist', 'artists')
      .withFilters(({ where }) => [where('name')])
      .example({ type: 'artists', id: '1' }),
    hasMany('tracks', 'tracks')
      .paginate(page({ size: 2 }))
      .withFilters(({ where }) => [where('longerThan', 'lengthSeconds', '>').integer()])
      .withSorts({ duration: 'lengthSeconds' })
      .countable(),
  ],
  filters: ({ whereHas, whereThrough, contains, range, dateRange, custom }) => [
    whereHas('tracks'),
    whereThrough('artist.name'),
    contains('title'),
    range('rating', 'averageRating'),
    dateRange('releasedAt'),
    custom('q').handledBy('search', 'title'),
  ],
  defaultSort: ['-releasedAt'],
  defaultIncludes: ['artist'],
  actions: ({ action }) => [
    action('summary', {
      on: 'collection',
      answers: 'meta',
      summary: 'Summarize albums',
      description: 'Counts the published albums and their tracks.',
      handle: async ({ unit }) => meta(await summarize(unit)),
    }),
  ],
  policy: AlbumPolicy,
})
