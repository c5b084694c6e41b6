import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Ticket } from './entity.ts'

export default defineResource(Ticket, {
  type: 'tickets',
  fields: ({ id, string }) => [id().numeric(), string('title').required().maxLength(200)],
  policy: open,
})
