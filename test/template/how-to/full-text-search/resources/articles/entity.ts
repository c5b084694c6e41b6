import { defineEntity, p } from '@mikro-orm/core'
import { FullTextType } from '@mikro-orm/sql'

const document = `setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'B')`

const schema = defineEntity({
  name: 'Article',
  tableName: 'articles',
  indexes: [{ properties: ['document'], type: 'fulltext' }],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    body: p.text(),
    document: p.type(new FullTextType('english')).generated(`(${document}) stored`).lazy().nullable(),
  },
})

export class Article extends schema.class {}

schema.setClass(Article)
