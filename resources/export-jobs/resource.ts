import { defineResource } from '#kernel'
import { seeOther } from '#plugins/async-writes/index.ts'
import { ok } from '#plugins/responses/index.ts'
import { ExportJob } from './entity.ts'
import { ExportJobPolicy } from './policy.ts'

export default defineResource(ExportJob, {
  type: 'export-jobs',
  exampleId: 'job-processing',
  fields: ({ id, string }) => [id(), string('state').readOnly()],
  readOnly: true,
  fetchOne: [ok(), seeOther()],
  completionLocation: ({ state, exportId }) => (state === 'completed' ? `/catalog-exports/${exportId}` : null),
  policy: ExportJobPolicy,
})
