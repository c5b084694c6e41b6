import { completeOrder, defaultSortFor, type Plugin } from '#kernel/plugin'
import { choosePaginator, paginatorOf, paginatorOfType } from '#plugins/pagination/index.ts'
import { describeCursors } from './describe.ts'
import { cursorMalformed, cursorStale } from './errors.ts'
import { cursorProfileUri } from './paginator.ts'

export { cursor, cursorProfileUri } from './paginator.ts'

/** Cursor pagination and its profile. An included collection that pages by cursor contains its first page. */
export function cursorProfile(): Plugin {
  return {
    name: 'cursor-profile',
    requires: ['sorting', 'pagination'],
    errors: [cursorMalformed.definition, cursorStale.definition],
    profiles: [cursorProfileUri],

    onCompile(registry, servers) {
      for (const type of registry.types.values()) {
        if (!servers.some((server) => paginatorOfType(type, server)?.keyset)) continue
        if (type.defaultSort.some(({ custom }) => custom)) {
          registry.fail(type, 'defaultSort', 'A collection that pages by cursor cannot have a custom default sort.')
        }
        const order = completeOrder(type.defaultSort, type).map(({ property }) => property)
        type.lookups.push({ parameter: 'page[after]', by: 'order', properties: order })
      }
    },

    onQuery({ request }, query) {
      if (query.paginator?.profile === cursorProfileUri) request?.appliedProfiles.add(cursorProfileUri)
    },

    beforeRelationLoad({ relation, query, included, context }) {
      if (!included || !relation.toMany) return
      const paginator = choosePaginator(paginatorOf(relation, context.server), {}, query.base, context.server)
      if (paginator?.profile !== cursorProfileUri) return
      query.paginator = paginator
      const { target } = relation
      const sort = defaultSortFor(target, query.base.visibility)
      query.window = paginator.window({}, { ...query.base, type: target, sort })
      context.request?.appliedProfiles.add(cursorProfileUri)
    },

    describe: describeCursors,
  }
}
