import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ReportJob',
  tableName: 'report_jobs',
  properties: {
    id: p.uuid().primary(),
    reportId: p.uuid(),
    state: p.enum(['processing', 'completed', 'failed']).default('processing'),
    progress: p.integer().default(0),
  },
})

export class ReportJob extends schema.class {}

schema.setClass(ReportJob)
