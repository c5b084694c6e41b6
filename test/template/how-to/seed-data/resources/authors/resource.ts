import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Author } from './entity.ts'

export default defineResource(Author, {
  type: 'authors',
  fields: ({ id, string }) => [id(), string('name').required().maxLength(100)],
  policy: open,
})
