import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Favorite } from './entity.ts'

export default defineResource(Favorite, {
  type: 'favorites',
  fields: ({ id, dateTime, belongsTo, morphTo }) => [
    id(),
    dateTime('favoritedAt').readOnlyOnUpdate(),
    belongsTo('user', 'users'),
    morphTo('favoritable', ['tracks', 'albums', 'artists']).cannotBeIncluded(),
  ],
  policy: open,
})
