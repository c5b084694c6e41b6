import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(100),
    stock: p.integer(),
  },
})

export class Product extends schema.class {}

schema.setClass(Product)
