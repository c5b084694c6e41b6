import { defineResource } from '#kernel'
import { seeOther } from '#plugins/async-writes/index.ts'
import { open } from '#plugins/authorization/index.ts'
import { ok } from '#plugins/responses/index.ts'
import { ReportJob } from './entity.ts'

export default defineResource(ReportJob, {
  type: 'report-jobs',
  fields: ({ id, string, integer }) => [id().uuid(), string('state'), integer('progress')],
  operations: ['FetchOne'],
  fetchOne: [ok(), seeOther()],
  completionLocation: ({ state, reportId }) => (state === 'completed' ? `/reports/${reportId}` : null),
  policy: open,
})
