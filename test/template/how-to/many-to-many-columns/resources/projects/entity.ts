import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { Person } from '../people/entity.ts'

const schema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    id: p.integer().primary(),
    title: p.string().length(200),
    members: () =>
      p
        .manyToMany(Person)
        .owner()
        .pivotEntity((): EntityName => Membership),
  },
})

export class Project extends schema.class {}

schema.setClass(Project)

export const roles = ['lead', 'member'] as const

/** A row of the join table. */
const membershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  uniques: [{ properties: ['project', 'person'] }],
  properties: {
    id: p.integer().primary(),
    project: () => p.manyToOne(Project).ref().deleteRule('cascade'),
    person: () => p.manyToOne(Person).ref().index().deleteRule('cascade'),
    role: p.enum(roles).default('member'),
    hours: p.integer().default(0),
    addedAt: p.datetime(3).defaultRaw('now()'),
  },
})

export class Membership extends membershipSchema.class {}

membershipSchema.setClass(Membership)
