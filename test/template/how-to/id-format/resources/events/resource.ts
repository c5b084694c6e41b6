import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Event } from './entity.ts'

export default defineResource(Event, {
  type: 'events',
  fields: ({ id, string }) => [id().ulid().generated(), string('title').required().maxLength(200)],
  policy: open,
})
