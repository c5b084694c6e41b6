import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Library } from './entity.ts'

export default defineResource(Library, {
  type: 'libraries',
  exampleId: '1',
  server: ['default', 'admin'],
  fields: ({ id, belongsTo, morphToMany }) => [
    id(),
    belongsTo('owner', 'users'),
    morphToMany('items', ['tracks', 'albums', 'artists']).throughProperty('item'),
  ],
  policy: open,
})
