import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Post } from './entity.ts'

export default defineResource(Post, {
  type: 'posts',
  fields: ({ id, string }) => [id(), string('title').required().maxLength(200)],
  policy: open,
})
