import { defineEntity, p } from '@mikro-orm/core'
import { Article } from '../articles/entity.ts'
import { Person } from '../people/entity.ts'

const schema = defineEntity({
  name: 'Comment',
  tableName: 'comments',
  properties: {
    id: p.integer().primary(),
    body: p.text(),
    createdAt: p.datetime(3),
    article: () => p.manyToOne(Article).ref().index(),
    author: () => p.manyToOne(Person).ref().index(),
  },
})

export class Comment extends schema.class {}

schema.setClass(Comment)
