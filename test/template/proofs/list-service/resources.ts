import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { ListGroup, ListMember, ListNumber, NumberList } from './entities.ts'

const groups = defineResource(ListGroup, {
  type: 'groups',
  fields: ({ id, hasMany }) => [id().allowClientId(), hasMany('lists', 'lists').withoutPagination()],
})

const lists = defineResource(NumberList, {
  type: 'lists',
  fields: ({ id, arrayList, integer, belongsTo, belongsToMany }) => [
    id().allowClientId(),
    arrayList('items'),
    // Read-modify-write in the service, as an entity.
    integer('append')
      .writeOnly()
      .fillUsing((list, value) => {
        list.items = [...list.items, value as number]
      }),
    belongsTo('group', 'groups'),
    belongsToMany('members', 'numbers')
      .through(ListMember)
      .fields(({ integer }) => [integer('order').storedAs('id').readOnly()])
      .withData()
      .withoutPagination(),
  ],
  filters: ({ whereIdIn }) => [whereIdIn()],
})

const numbers = defineResource(ListNumber, {
  type: 'numbers',
  fields: ({ id }) => [id().allowClientId()],
})

export const listResources: readonly DeclaredResource[] = [groups, lists, numbers].map((resource) => ({
  file: 'test/template/proofs/list-service/resources.ts',
  resource,
}))
