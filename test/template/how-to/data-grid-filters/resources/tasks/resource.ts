import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { page } from '#plugins/pagination/index.ts'
import { statuses, Task } from './entity.ts'

export default defineResource(Task, {
  type: 'tasks',
  fields: ({ id, string, integer, date, belongsToMany }) => [
    id(),
    string('title').required().maxLength(200).sortable().filterable(),
    string('status').enum(statuses).filterable(),
    integer('priority').min(0).max(5).sortable().filterable(),
    date('dueOn').nullable().sortable().filterable(),
    belongsToMany('labels', 'labels').filterable(),
  ],
  sorts: { id: 'id' },
  pagination: () => page({ size: 25, withCount: true }),
  policy: open,
})
