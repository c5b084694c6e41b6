import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: p.uuid().primary(),
    title: p.string().length(200),
  },
})

export class Document extends schema.class {}

schema.setClass(Document)
