import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Author',
  tableName: 'authors',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(100),
  },
})

export class Author extends schema.class {}

schema.setClass(Author)
