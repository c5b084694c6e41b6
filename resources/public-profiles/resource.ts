import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { User } from '#resources/users/entity.ts'

/** The public fields of a user. */
export default defineResource(User, {
  type: 'public-profiles',
  exampleId: '1',
  tags: ['Library'],
  fields: ({ id, string }) => [id(), string('displayName').sortable()],
  operations: ['FetchCollection', 'FetchOne'],
  policy: open,
})
