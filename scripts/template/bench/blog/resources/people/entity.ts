import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(120),
    email: p.string().length(200),
    createdAt: p.datetime(3),
  },
})

export class Person extends schema.class {}

schema.setClass(Person)
