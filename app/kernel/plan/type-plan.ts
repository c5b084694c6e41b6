import { type Server, servesTarget } from '../contract/server.ts'
import type { Query } from '../data/query.ts'
import type { RowsPlan, TypePlan } from '../data/query-plan.ts'
import { isKeyLinkage, linkKey, relationsWithRowChecks } from '../data/selection.ts'
import { shownFields } from '../data/shown-fields.ts'
import { freezeLists } from '../lib/freeze-lists.ts'
import type { ShownFields } from '../schema/columns.ts'
import type { Attribute } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'

/** The plan of a type in the plan of the query. A type that only a function of rows includes is planned for each request. */
export function findTypePlan(type: ResourceType, query: Query, server: Server): TypePlan {
  return query.plan?.types.get(type) ?? createTypePlan(type, query, server)
}

export function createTypePlan(type: ResourceType, query: Query, server: Server): TypePlan {
  const shown = shownFields(type, query)
  const included = createRowsPlan(type, shown, server, unrelated)
  const isPrimary = query.types.includes(type)
  const primary = isPrimary && query.related.size > 0 ? createRowsPlan(type, shown, server, query.related) : included
  return Object.freeze({ shown, primary, included })
}

const unrelated: Query['related'] = new Map()

function createRowsPlan(
  type: ResourceType,
  { chained, alwaysLinked, relations }: ShownFields,
  server: Server,
  queried: Query['related'],
): RowsPlan {
  const checked = chained.filter((attribute) => relationsWithRowChecks(attribute, type).length > 0)
  const byPath = Map.groupBy(checked, (attribute) =>
    relationsWithRowChecks(attribute, type)
      .map(({ name }) => name)
      .join('.'),
  )
  const linked = alwaysLinked
    .filter((relation) => servesTarget(server, relation))
    .map((relation) => ({ relation, holdsKey: isKeyLinkage(relation) && !queried.has(relation) }))
  const chains = [...byPath.values()].map((attributes) => {
    return { attributes, hops: relationsWithRowChecks(attributes[0] as Attribute, type) }
  })
  const read = linked.filter(({ relation, holdsKey }) => !holdsKey || relation.hasReadAbility)
  return freezeLists({
    chains,
    linked: read,
    isInRow: chains.length + read.length === 0,
    foreignKeys: relations
      .filter((relation) => relation.kind === 'belongsTo' && servesTarget(server, relation))
      .map((relation) => ({ relation, key: linkKey(relation) })),
  })
}
