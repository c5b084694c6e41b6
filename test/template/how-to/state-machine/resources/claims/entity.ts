import { defineEntity, p } from '@mikro-orm/core'

export const claimStatuses = ['draft', 'submitted', 'approved', 'rejected', 'paid'] as const

export type ClaimStatus = (typeof claimStatuses)[number]

const schema = defineEntity({
  name: 'Claim',
  tableName: 'claims',
  indexes: [{ properties: ['status', 'id'] }],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    status: p.enum(claimStatuses).default('draft'),
  },
})

export class Claim extends schema.class {}

schema.setClass(Claim)
