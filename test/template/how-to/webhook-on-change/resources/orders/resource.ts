import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Order } from './entity.ts'

export default defineResource(Order, {
  type: 'orders',
  fields: ({ id, string }) => [id(), string('article').required().maxLength(100)],
  webhook: true,
  policy: open,
})
