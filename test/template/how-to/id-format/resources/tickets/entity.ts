import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Ticket',
  tableName: 'tickets',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Ticket extends schema.class {}

schema.setClass(Ticket)
