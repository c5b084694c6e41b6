import { defineEntity, p } from '@mikro-orm/core'
import type { ApiOf } from '#app/api-types/api-of.ts'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'

// Declarations that also run, so that both forms of their types are compared with the service.

const depotSchema = defineEntity({
  name: 'Depot',
  tableName: 'depots',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    zone: p.text().default('north'),
    grade: p.integer().default(1),
    tier: p.text().default('a'),
    aliases: p.array().default([]),
    weights: p.array<number>().columnType('real[]').default([]),
    codes: p.array<string | number>().columnType('bigint[]').default([]),
    sites: p.array<object>().columnType('jsonb[]').nullable(),
    tools: () =>
      p
        .manyToMany(Tool)
        .owner()
        .pivotEntity(() => Loan),
    parts: () => p.oneToMany(Part).mappedBy('depot'),
  },
})
export class Depot extends depotSchema.class {}
depotSchema.setClass(Depot)

const toolSchema = defineEntity({
  name: 'Tool',
  tableName: 'tools',
  properties: { id: p.integer().primary().autoincrement(), name: p.text() },
})
export class Tool extends toolSchema.class {}
toolSchema.setClass(Tool)

const loanSchema = defineEntity({
  name: 'Loan',
  tableName: 'loans',
  properties: {
    depot: () => p.manyToOne(Depot).ref().primary(),
    tool: () => p.manyToOne(Tool).ref().primary(),
    count: p.integer(),
    state: p.text().default('new'),
  },
})
export class Loan extends loanSchema.class {}
loanSchema.setClass(Loan)

const partSchema = defineEntity({
  name: 'Part',
  tableName: 'parts',
  properties: {
    id: p.integer().primary().autoincrement(),
    depot: () => p.manyToOne(Depot).ref(),
    tool: () => p.manyToOne(Tool).ref().nullable(),
  },
})
export class Part extends partSchema.class {}
partSchema.setClass(Part)

const depots = defineResource(Depot, {
  type: 'depots',
  fields: ({ id, string, integer, arrayList, belongsToMany, hasMany }) => [
    id(),
    string('name').required(),
    string('zone').in(['north', 'south']),
    integer('grade').enum([1, 2]),
    string('tier')
      .in(['A', 'B'])
      .deserializeUsing((value) => String(value).toLowerCase()),
    arrayList('aliases'),
    arrayList('weights'),
    arrayList('codes'),
    arrayList('sites').nullable(),
    belongsToMany('tools', 'tools')
      .through(Loan)
      .fields(({ integer, string }) => [integer('count').required(), string('state').in(['new', 'used'])])
      .withFilters(({ where }) => [where('state', 'pivot.state')]),
    hasMany('parts', 'parts'),
  ],
  filters: ({ where, whereIn, whereNotIn, whereAny, range, contains }) => [
    where('zone'),
    where('elsewhere', 'zone', '!='),
    where('anyZone', 'zone').pattern('.*'),
    where('standing', 'zone').default('north'),
    where('retired', 'zone').fixed('west'),
    where('over', 'grade', '>'),
    where('grade'),
    where('tier'),
    whereIn('zones', 'zone'),
    whereNotIn('grades', 'grade'),
    whereAny('either', where('zone'), where('name')),
    range('graded', 'grade'),
    contains('part', 'zone'),
  ],
  policy: open,
})

const tools = defineResource(Tool, {
  type: 'tools',
  fields: ({ id, string }) => [id(), string('name').readOnly()],
  policy: open,
})

const parts = defineResource(Part, {
  type: 'parts',
  fields: ({ id, belongsTo }) => [id(), belongsTo('depot', 'depots').required(), belongsTo('tool', 'tools')],
  policy: open,
})

const marks = defineResource(Part, {
  type: 'marks',
  fields: ({ id, belongsTo }) => [id(), belongsTo('depot', 'depots').required().readOnlyOnUpdate()],
  policy: open,
})

export const entities = [Depot, Tool, Loan, Part]
export const resources = { depots, tools, parts, marks }

interface Folders {
  readonly depots: { readonly resource: typeof depots }
  readonly tools: { readonly resource: typeof tools }
  readonly parts: { readonly resource: typeof parts }
  readonly marks: { readonly resource: typeof marks }
}

export type Api = ApiOf<Folders, 'default', { readonly NOT_FOUND: 404 }>
