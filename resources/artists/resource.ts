import { defineResource } from '#kernel'
import { Artist } from './entity.ts'

export default defineResource(Artist, {
  type: 'artists',
  fields: ({ id, string, url, dateTime, hasMany }) => [
    id(),
    string('name').required().maxLength(120).sortable(),
    string('slug').sortable(),
    url('website').nullable(),
    string('bio').nullable().maxLength(1000),
    dateTime('createdAt').readOnlyOnUpdate().sortable(),
    hasMany('albums', 'albums'),
  ],
})
