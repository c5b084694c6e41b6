import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { OrderLine } from './entity.ts'

export default defineResource(OrderLine, {
  type: 'order-lines',
  fields: ({ id, string, integer, decimal, belongsTo }) => [
    id(),
    string('product').required().maxLength(100),
    integer('quantity').required().min(1),
    decimal('price').required().min(0),
    belongsTo('order', 'orders').required(),
  ],
  policy: open,
})
