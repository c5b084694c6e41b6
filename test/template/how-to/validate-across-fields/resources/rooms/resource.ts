import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Room } from './entity.ts'

export default defineResource(Room, {
  type: 'rooms',
  fields: ({ id, string }) => [id(), string('name').required().maxLength(100)],
  policy: open,
})
