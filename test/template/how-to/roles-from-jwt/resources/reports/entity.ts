import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
  },
})

export class Report extends schema.class {}

schema.setClass(Report)
