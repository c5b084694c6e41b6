import { defineEntity, p } from '@mikro-orm/core'
import { auditColumns } from '../../plugins/audit/index.ts'

const schema = defineEntity({
  name: 'Contract',
  tableName: 'contracts',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    replaces: () => p.manyToOne(Contract).ref().nullable().index(),
    ...auditColumns(),
  },
})

export class Contract extends schema.class {}

schema.setClass(Contract)
