import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  properties: {
    id: p.integer().primary(),
    tenant: p.string().length(63).index(),
    name: p.string().length(200),
  },
})

export class Customer extends schema.class {}

schema.setClass(Customer)
