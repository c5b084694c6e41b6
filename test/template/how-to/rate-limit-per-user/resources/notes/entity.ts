import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Note',
  tableName: 'notes',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Note extends schema.class {}

schema.setClass(Note)
