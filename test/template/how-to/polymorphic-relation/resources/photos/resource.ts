import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Photo } from './entity.ts'

export default defineResource(Photo, {
  type: 'photos',
  fields: ({ id, string }) => [id(), string('title').required().maxLength(200)],
  policy: open,
})
