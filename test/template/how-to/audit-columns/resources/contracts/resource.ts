import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Contract } from './entity.ts'

export default defineResource(Contract, {
  type: 'contracts',
  fields: ({ id, string, dateTime, belongsTo }) => [
    id(),
    string('title').required().maxLength(200),
    dateTime('createdAt').readOnly().sortable(),
    string('createdBy').nullable().readOnly(),
    dateTime('updatedAt').readOnly().sortable(),
    string('updatedBy').nullable().readOnly(),
    belongsTo('replaces', 'contracts'),
  ],
  policy: open,
})
