import { defineEntity, p } from '@mikro-orm/core'
import { Product } from '../products/entity.ts'

const schema = defineEntity({
  name: 'OrderLine',
  tableName: 'order_lines',
  properties: {
    id: p.integer().primary(),
    quantity: p.integer(),
    product: () => p.manyToOne(Product).ref().index(),
  },
})

export class OrderLine extends schema.class {}

schema.setClass(OrderLine)
