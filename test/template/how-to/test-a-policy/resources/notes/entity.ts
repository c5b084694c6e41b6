import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Note',
  tableName: 'notes',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    shared: p.boolean().default(false),
    owner: p.string().length(100),
  },
})

export class Note extends schema.class {}

schema.setClass(Note)
