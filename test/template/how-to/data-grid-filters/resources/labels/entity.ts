import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Label',
  tableName: 'labels',
  properties: { id: p.integer().primary(), name: p.string().length(40).unique() },
})

export class Label extends schema.class {}

schema.setClass(Label)
