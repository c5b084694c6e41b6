import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Post',
  tableName: 'posts',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Post extends schema.class {}

schema.setClass(Post)
