import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: p.integer().primary(),
    article: p.string().length(100),
  },
})

export class Order extends schema.class {}

schema.setClass(Order)
