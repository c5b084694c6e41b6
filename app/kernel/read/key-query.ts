import { addNeeds, createQuery, emptyRelationQuery } from '../data/create-query.ts'
import type { Query, RelationQuery } from '../data/query.ts'
import { QueryPlan } from '../data/query-plan.ts'
import { chooseSelection } from '../data/selection.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import type { Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'

declare module '../schema/resource-type.ts' {
  interface ResourceType {
    /** Queries by the names that they select: there are as many as declarations name. */
    keyQueries?: Map<string, Query>
  }
}

/** Selects the key of a row, the named properties, and the columns from which members of the relation are read. */
export function keyQuery(type: ResourceType, names: readonly string[] = [], relation?: Relation): Query {
  type.keyQueries ??= new Map()
  const planned = getOrCreate(type.keyQueries, `${names.join()} ${relation?.name ?? ''}`, () => {
    const query = createQuery({ type })
    query.fields = new Map([[type.name, new Set()]])
    if (relation) query.include = [{ relation, children: [] }]
    addNeeds(query, type, names)
    query.plan = new QueryPlan({ selections: new Map([[type, chooseSelection(query, type)]]) })
    return Object.freeze(query)
  })
  return { ...planned, where: [] }
}

/** Counts the members of a relation, and reads none. */
export function countQuery(base: Query): RelationQuery {
  return emptyRelationQuery(base, true, { window: { limit: 0, offset: 0, probe: false }, count: true })
}
