import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Customer } from './entity.ts'

export default defineResource(Customer, {
  type: 'customers',
  fields: ({ id, string }) => [id(), string('name').required().maxLength(200)],
  policy: open,
})
