import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Genre } from './entity.ts'

export default defineResource(Genre, {
  type: 'genres',
  exampleId: 'trip-hop',
  fields: ({ id, string }) => [
    id().requireClientId().pattern('^[a-z0-9]+(-[a-z0-9]+)*$'),
    string('name').required().maxLength(120).example('Trip-hop'),
  ],
  cacheHeaders: {
    max_age: 3600,
    s_maxage: 86_400,
    public: true,
    vary: 'Accept',
    operations: { collection: { max_age: 300 } },
  },
  policy: open,
})
