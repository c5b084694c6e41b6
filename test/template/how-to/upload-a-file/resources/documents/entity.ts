import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(200),
    mediaType: p.string().length(100).nullable(),
    size: p.integer().nullable(),
    content: p.blob().lazy().nullable(),
  },
})

export class Document extends schema.class {}

schema.setClass(Document)
