import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    parent: () => p.manyToOne(Product).ref().nullable().index().deleteRule('no action'),
  },
})

export class Product extends schema.class {}

schema.setClass(Product)
