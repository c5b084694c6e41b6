import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Genre',
  tableName: 'genres',
  properties: {
    id: p.string().primary(),
    name: p.text(),
  },
})

export class Genre extends schema.class {}

schema.setClass(Genre)
