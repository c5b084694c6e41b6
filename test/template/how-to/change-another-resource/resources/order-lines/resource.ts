import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { OrderLine } from './entity.ts'
import { changeStock, outOfStock } from './stock.ts'

export default defineResource(OrderLine, {
  type: 'order-lines',
  fields: ({ id, integer, belongsTo }) => [
    id(),
    integer('quantity').required().min(1).max(1000),
    belongsTo('product', 'products').required().readOnlyOnUpdate().withoutRelationshipEndpoint(),
  ],
  beforeCreate: (line, ctx) => changeStock(line, -line.quantity, ctx),
  beforeUpdate: (line, original, ctx) => changeStock(line, original.quantity - line.quantity, ctx),
  beforeDelete: (line, ctx) => changeStock(line, line.quantity, ctx),
  errors: [outOfStock],
  policy: open,
})
