import { defineResource } from '#kernel'
import { Employee } from './entity.ts'
import { EmployeePolicy } from './policy.ts'

export default defineResource(Employee, {
  type: 'employees',
  fields: ({ id, string, email, integer, dateTime, belongsTo }) => [
    id(),
    string('name').required().maxLength(200),
    email('email').required().maxLength(254),
    integer('salary').required().min(0),
    dateTime('leftAt').nullable(),
    belongsTo('manager', 'employees'),
  ],
  policy: EmployeePolicy,
})
