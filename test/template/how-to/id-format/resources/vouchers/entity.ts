import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Voucher',
  tableName: 'vouchers',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Voucher extends schema.class {}

schema.setClass(Voucher)
