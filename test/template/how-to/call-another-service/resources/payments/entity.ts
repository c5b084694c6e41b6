import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    id: p.uuid().primary(),
    amount: p.integer(),
    status: p.enum(['pending', 'paid', 'declined']).default('pending'),
  },
})

export class Payment extends schema.class {}

schema.setClass(Payment)
