import { defineEntity, p } from '@mikro-orm/core'
import { CatalogExport } from '#resources/catalog-exports/entity.ts'

const schema = defineEntity({
  name: 'ExportJob',
  tableName: 'export_jobs',
  properties: {
    id: p.string().primary(),
    state: p.enum(['processing', 'completed']).default('processing'),
    catalogExport: () => p.manyToOne(CatalogExport).ref().nullable().index().deleteRule('cascade'),
    /** The identifier of the principal that requested the export; null if the request was anonymous. */
    requestedBy: p.text().nullable(),
    /** The foreign key of `catalogExport`, readable without the relation. */
    exportId: p.integer().fieldName('catalog_export_id').persist(false).nullable(),
  },
})

export class ExportJob extends schema.class {}

schema.setClass(ExportJob)
