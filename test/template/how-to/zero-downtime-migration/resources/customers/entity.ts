import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(100),
    phone: p.string().length(30).fieldName('phone_number'),
  },
})

export class Customer extends schema.class {}

schema.setClass(Customer)
