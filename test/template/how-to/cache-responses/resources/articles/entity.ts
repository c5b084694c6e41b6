import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Article',
  tableName: 'articles',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Article extends schema.class {}

schema.setClass(Article)
