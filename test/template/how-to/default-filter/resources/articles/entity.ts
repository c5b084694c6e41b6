import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Article',
  tableName: 'articles',
  indexes: [{ properties: ['publishedAt', 'id'] }],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    author: p.string().length(255),
    publishedAt: p.datetime(3).nullable(),
    archived: p.boolean().default(false),
  },
})

export class Article extends schema.class {}

schema.setClass(Article)
