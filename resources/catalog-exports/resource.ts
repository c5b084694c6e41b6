import { defineResource } from '#kernel'
import { AcceptedForProcessing, accepted, enqueue } from '#plugins/async-writes/index.ts'
import { open } from '#plugins/authorization/index.ts'
import { metaResult, noContent } from '#plugins/responses/index.ts'
import { ExportJob } from '#resources/export-jobs/entity.ts'
import { CatalogExport } from './entity.ts'
import { cancelExport, reportCancellation } from './hooks.ts'
import { exportCatalog } from './job.ts'

export default defineResource(CatalogExport, {
  type: 'catalog-exports',
  exampleId: '1',
  fields: ({ id, string }) => [
    id(),
    string('format').required().maxLength(16).example('csv'),
    string('status').readOnly(),
  ],
  operations: ['Create', 'FetchOne', 'FetchCollection', 'Delete'],
  create: accepted('export-jobs'),
  delete: [noContent(), metaResult()],
  job: exportCatalog,

  async accept({ id: exportId, format }, { context }) {
    const id = await enqueue(exportCatalog, { exportId, format }, context)
    const requestedBy = context.principal?.identifier ?? null
    await context.unit.em.insert(ExportJob, { id, state: 'processing', catalogExport: exportId, requestedBy })
    return AcceptedForProcessing.poll(`/export-jobs/${id}`).withJob({ id }, 'export-jobs').withRetryAfter(30)
  },
  beforeDelete: cancelExport,
  afterDelete: reportCancellation,
  policy: open,
})
