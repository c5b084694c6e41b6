import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Tag } from './entity.ts'

export default defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string }) => [id(), string('name').required().maxLength(60)],
  policy: open,
})
