import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Topic',
  tableName: 'topics',
  properties: {
    id: p.string().length(60).primary(),
    title: p.string().length(200),
  },
})

export class Topic extends schema.class {}

schema.setClass(Topic)
