import { defineResource } from '#kernel'
import { Employee } from '../employees/entity.ts'
import { ContactPolicy } from './policy.ts'

export default defineResource(Employee, {
  type: 'contacts',
  readOnly: true,
  fields: ({ id, string, email, belongsTo }) => [
    id(),
    string('name').sortable(),
    email('email'),
    belongsTo('manager', 'contacts'),
  ],
  filters: ({ contains }) => [contains('name')],
  policy: ContactPolicy,
})
