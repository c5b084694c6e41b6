import { defineEntity, type EntityName, p } from '@mikro-orm/core'

// Lists of numbers in two forms: an array in the row of the list, and the rows of a join table.

const groupSchema = defineEntity({
  name: 'ListGroup',
  tableName: 'list_groups',
  properties: {
    id: p.integer().primary(),
    lists: () => p.oneToMany(NumberList).mappedBy('group'),
  },
})
export class ListGroup extends groupSchema.class {}
groupSchema.setClass(ListGroup)

const listSchema = defineEntity({
  name: 'NumberList',
  tableName: 'number_lists',
  properties: {
    id: p.integer().primary(),
    items: p.json<number[]>(),
    group: () => p.manyToOne(ListGroup).ref().index(),
    members: () =>
      p
        .manyToMany(ListNumber)
        .owner()
        .pivotEntity((): EntityName => ListMember),
  },
})
export class NumberList extends listSchema.class {}
listSchema.setClass(NumberList)

const numberSchema = defineEntity({
  name: 'ListNumber',
  tableName: 'list_numbers',
  properties: { id: p.integer().primary() },
})
export class ListNumber extends numberSchema.class {}
numberSchema.setClass(ListNumber)

/** The id is assigned while the list is locked, so it has the order of the appends. */
const memberSchema = defineEntity({
  name: 'ListMember',
  tableName: 'list_members',
  properties: {
    id: p.integer().primary(),
    list: () => p.manyToOne(NumberList).ref().index(),
    number: () => p.manyToOne(ListNumber).ref().index(),
  },
})
export class ListMember extends memberSchema.class {}
memberSchema.setClass(ListMember)

export const listEntities = [ListGroup, NumberList, ListNumber, ListMember]
