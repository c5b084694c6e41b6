import { defineEntity, p } from '@mikro-orm/core'
import { Author } from '../authors/entity.ts'

const schema = defineEntity({
  name: 'Note',
  tableName: 'notes',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    pinned: p.boolean().default(false),
    author: () => p.manyToOne(Author).ref().index(),
  },
})

export class Note extends schema.class {}

schema.setClass(Note)
