import { defineEntity, p } from '@mikro-orm/core'
import { OrderLine } from '../order-lines/entity.ts'

const schema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: p.integer().primary(),
    firstName: p.string().length(100),
    lastName: p.string().length(100),
    lines: () => p.oneToMany(OrderLine).mappedBy('order'),
  },
})

export class Order extends schema.class {}

schema.setClass(Order)
