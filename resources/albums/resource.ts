import { defineResource } from '#kernel'
import { page } from '#plugins/pagination/index.ts'
import { Album, albumStatuses } from './entity.ts'
import { AlbumPolicy } from './policy.ts'

export default defineResource(Album, {
  type: 'albums',
  server: ['default', 'admin'],
  fields: ({ id, string, decimal, boolean, dateTime, date, map, belongsTo, hasMany }) => [
    id(),
    string('title').required().maxLength(200).sortable(),
    decimal('averageRating').nullable().readOnly(),
    string('artwork').nullable().readOnly(),
    dateTime('releasedAt').nullable().sortable(),
    boolean('explicit'),
    string('status').in(albumStatuses).sortable(),
    date('availableFrom').nullable(),
    date('availableUntil').nullable(),
    map('releaseInfo', string('label').nullable(), string('catalogueNumber').nullable().readOnly()).nullable(),
    belongsTo('artist', 'artists'),
    hasMany('tracks', 'tracks').paginate(page({ size: 2 })),
  ],
  defaultSort: ['-releasedAt'],
  defaultIncludes: ['artist'],
  policy: AlbumPolicy,
})
