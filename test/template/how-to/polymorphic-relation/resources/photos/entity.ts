import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Photo',
  tableName: 'photos',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Photo extends schema.class {}

schema.setClass(Photo)
