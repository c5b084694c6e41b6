import { defineEntity, p } from '@mikro-orm/core'
import { Customer } from '../customers/entity.ts'

const schema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  uniques: [{ properties: ['tenant', 'number'] }],
  properties: {
    id: p.integer().primary(),
    tenant: p.string().length(63),
    number: p.string().length(20),
    customer: () => p.manyToOne(Customer).ref().nullable().index(),
  },
})

export class Invoice extends schema.class {}

schema.setClass(Invoice)
