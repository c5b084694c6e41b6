import { defineEntity, p } from '@mikro-orm/core'
import { Label } from '../labels/entity.ts'

export const statuses = ['open', 'waiting', 'done'] as const

const schema = defineEntity({
  name: 'Task',
  tableName: 'tasks',
  indexes: [
    { properties: ['status'] },
    { properties: ['priority'] },
    { properties: ['dueOn'] },
    { properties: ['title'] },
  ],
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    status: p.enum(statuses).default('open'),
    priority: p.integer().default(0),
    dueOn: p.date().nullable(),
    labels: () => p.manyToMany(Label).owner().pivotTable('task_labels'),
  },
})

export class Task extends schema.class {}

schema.setClass(Task)
