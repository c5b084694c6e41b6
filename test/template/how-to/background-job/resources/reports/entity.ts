import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    id: p.uuid().primary(),
    year: p.integer(),
    days: p.integer().nullable(),
  },
})

export class Report extends schema.class {}

schema.setClass(Report)
