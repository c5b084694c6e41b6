import Joi from 'joi'
import { all, compare, defineResource, isNull, not } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Task } from './entity.ts'

const isOverdue = () => all(isNull('doneAt'), compare('dueOn', '<', new Date().toISOString().slice(0, 10)))

export default defineResource(Task, {
  type: 'tasks',
  fields: ({ id, string, integer, date, dateTime }) => [
    id(),
    string('title').required().maxLength(200),
    integer('priority').min(0).max(3),
    date('dueOn').required().sortable(),
    dateTime('doneAt').nullable(),
  ],
  filters: ({ custom }) => [
    custom('overdue')
      .constrain(Joi.string().valid('true', 'false'))
      .condition((value) => (value === 'true' ? isOverdue() : not(isOverdue())))
      .describedAs('`true`: tasks that are due and not done.'),
  ],
  sorts: {
    urgency: {
      handler: (descending) => [
        { property: 'priority', descending: !descending },
        { property: 'dueOn', descending },
      ],
    },
  },
  policy: open,
})
