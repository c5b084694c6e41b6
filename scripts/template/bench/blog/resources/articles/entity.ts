import { defineEntity, p } from '@mikro-orm/core'
import { Comment } from '../comments/entity.ts'
import { Person } from '../people/entity.ts'
import { Tag } from '../tags/entity.ts'

const schema = defineEntity({
  name: 'Article',
  tableName: 'articles',
  indexes: [{ properties: ['publishedAt', 'id'] }],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    body: p.text(),
    views: p.integer().default(0),
    publishedAt: p.datetime(3),
    author: () => p.manyToOne(Person).ref().index(),
    comments: () => p.oneToMany(Comment).mappedBy('article'),
    tags: () => p.manyToMany(Tag).owner().pivotTable('article_tags'),
  },
})

export class Article extends schema.class {}

schema.setClass(Article)
