import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Artist } from './entity.ts'
import { artistProvider, trackCountOf } from './provider.ts'

export default defineResource(Artist, {
  type: 'artists',
  exampleId: '1',
  fields: ({ id, string, url, integer, dateTime, hasMany }) => [
    id(),
    string('name').required().maxLength(120).sortable().example('Massive Attack'),
    string('slug').maxLength(120).sortable(),
    url('website').nullable().maxLength(500),
    string('bio').nullable().maxLength(1000),
    integer('trackCount').computedUsing(trackCountOf).needs(),
    dateTime('createdAt').readOnlyOnUpdate().sortable(),
    hasMany('albums', 'albums'),
  ],
  filters: ({ where, custom }) => [where('slug').singular(), custom('q').handledBy('search', 'name', 'bio')],
  policy: open,
  abilities: { list: false, read: false },
  provider: artistProvider,
})
