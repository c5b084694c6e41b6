import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(60),
  },
})

export class Tag extends schema.class {}

schema.setClass(Tag)
