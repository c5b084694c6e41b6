import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(100),
  },
})

export class Person extends schema.class {}

schema.setClass(Person)
