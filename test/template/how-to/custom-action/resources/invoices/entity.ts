import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    id: p.integer().primary(),
    number: p.string().length(20),
    status: p.enum(['draft', 'sent']).default('draft'),
    sentAt: p.datetime(3).nullable(),
  },
})

export class Invoice extends schema.class {}

schema.setClass(Invoice)
