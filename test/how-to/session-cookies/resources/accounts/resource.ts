import { defineResource } from '#kernel'
import { Account } from './entity.ts'
import { AccountPolicy } from './policy.ts'

export default defineResource(Account, {
  type: 'accounts',
  fields: ({ id, email }) => [id(), email('email').required().maxLength(254)],
  operations: ['FetchCollection', 'FetchOne', 'Update'],
  policy: AccountPolicy,
})
