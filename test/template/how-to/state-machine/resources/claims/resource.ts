import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Claim, claimStatuses } from './entity.ts'
import { checkTransition, transitionRefused } from './transitions.ts'

export default defineResource(Claim, {
  type: 'claims',
  fields: ({ id, string }) => [
    id(),
    string('title').required().maxLength(200),
    string('status').enum(claimStatuses).enumName('ClaimStatus').readOnlyOnCreate().sortable(),
  ],
  filters: ({ whereIn }) => [whereIn('status')],
  beforeUpdate: checkTransition,
  errors: [transitionRefused],
  policy: open,
})
