import { defineEntity, p } from '@mikro-orm/core'
import { Order } from '../orders/entity.ts'

const schema = defineEntity({
  name: 'OrderLine',
  tableName: 'order_lines',
  properties: {
    id: p.integer().primary(),
    product: p.string().length(100),
    quantity: p.integer(),
    price: p.decimal('number').precision(12).scale(2),
    order: () => p.manyToOne(Order).ref().index().deleteRule('cascade'),
  },
})

export class OrderLine extends schema.class {}

schema.setClass(OrderLine)
