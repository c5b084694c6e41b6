import { defineResource } from '#kernel'
import { Account } from './entity.ts'
import { AccountPolicy } from './policy.ts'

export default defineResource(Account, {
  type: 'accounts',
  fields: ({ id, string }) => [id(), string('email').readOnly(), string('name').required().maxLength(100)],
  operations: ['FetchCollection', 'FetchOne', 'Update'],
  policy: AccountPolicy,
})
