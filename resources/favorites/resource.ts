import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Favorite } from './entity.ts'

export default defineResource(Favorite, {
  type: 'favorites',
  exampleId: '1',
  fields: ({ id, dateTime, belongsTo, morphTo }) => [
    id(),
    dateTime('favoritedAt').readOnlyOnUpdate(),
    belongsTo('user', 'users'),
    morphTo('favoritable', ['tracks', 'albums', 'artists']).cannotBeIncluded().example({ type: 'tracks', id: '1' }),
  ],
  policy: open,
})
