import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Note',
  tableName: 'notes',
  indexes: [{ properties: ['updatedAt', 'id'] }],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    updatedAt: p.datetime(3),
  },
})

export class Note extends schema.class {}

schema.setClass(Note)
