import { defineResource } from '#kernel'
import { AcceptedForProcessing, accepted, enqueue } from '#plugins/async-writes/index.ts'
import { open } from '#plugins/authorization/index.ts'
import { ReportJob } from '../report-jobs/entity.ts'
import { Report } from './entity.ts'
import { buildReport } from './job.ts'

export default defineResource(Report, {
  type: 'reports',
  fields: ({ id, integer }) => [
    id().uuid().generated(),
    integer('year').required().min(1900).max(2100),
    integer('days').readOnly(),
  ],
  operations: ['Create', 'FetchOne'],
  create: accepted('report-jobs'),
  job: buildReport,

  async accept({ id: reportId, year }, { context }) {
    const id = await enqueue(buildReport, { reportId, year }, context)
    await context.unit.em.insert(ReportJob, { id, reportId })
    return AcceptedForProcessing.poll(`/report-jobs/${id}`).withJob({ id }, 'report-jobs').withRetryAfter(5)
  },
  policy: open,
})
