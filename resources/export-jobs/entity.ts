import { defineEntity, p } from '@mikro-orm/core'
import { CatalogExport } from '#resources/catalog-exports/entity.ts'

const schema = defineEntity({
  name: 'ExportJob',
  tableName: 'export_jobs',
  properties: {
    id: p.string().primary(),
    state: p.enum(['processing', 'completed']).default('processing'),
    /** The column of `catalogExport`, to be read as it stands. */
    exportId: p.integer().name('catalog_export_id').persist(false).nullable(),
    catalogExport: () => p.manyToOne(CatalogExport).ref().nullable().index().deleteRule('cascade'),
  },
})

export class ExportJob extends schema.class {}

schema.setClass(ExportJob)
