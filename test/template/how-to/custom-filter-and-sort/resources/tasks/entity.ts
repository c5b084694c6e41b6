import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Task',
  tableName: 'tasks',
  indexes: [{ properties: ['dueOn', 'id'] }, { properties: ['priority', 'dueOn'] }],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    priority: p.integer().default(0),
    dueOn: p.date(),
    doneAt: p.datetime(3).nullable(),
  },
})

export class Task extends schema.class {}

schema.setClass(Task)
