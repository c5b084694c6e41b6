import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Employee',
  tableName: 'employees',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(200),
    email: p.string().length(254).unique(),
    salary: p.integer(),
    leftAt: p.datetime(3).nullable(),
    manager: () => p.manyToOne(Employee).ref().nullable().index(),
  },
})

export class Employee extends schema.class {}

schema.setClass(Employee)
