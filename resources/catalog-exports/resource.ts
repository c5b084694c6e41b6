import { defineResource } from '#kernel'
import { accepted } from '#plugins/async-writes/index.ts'
import { metaResult, noContent } from '#plugins/responses/index.ts'
import { CatalogExport } from './entity.ts'

export default defineResource(CatalogExport, {
  type: 'catalog-exports',
  fields: ({ id, string }) => [id(), string('format').required().maxLength(16), string('status').readOnly()],
  operations: ['FetchOne', 'FetchCollection', 'Delete'],
  create: accepted('export-jobs'),
  delete: [noContent(), metaResult()],
})
