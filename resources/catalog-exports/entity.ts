import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'CatalogExport',
  tableName: 'catalog_exports',
  properties: {
    id: p.integer().primary(),
    format: p.string().length(16),
    status: p.enum(['pending', 'ready']).default('pending'),
    /** The exported text; not part of the API. */
    content: p.text().nullable().lazy(),
  },
})

export class CatalogExport extends schema.class {}

schema.setClass(CatalogExport)
