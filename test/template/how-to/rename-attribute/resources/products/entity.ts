import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Product extends schema.class {}

schema.setClass(Product)
