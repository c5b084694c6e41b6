import { getOrCreate } from '../lib/get-or-create.ts'
import type { Relation } from '../model/field.ts'
import { addNeeds, createQuery, emptyRelationQuery, type Query, type RelationQuery } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'

/** Selects the key of a row, the named properties, and the columns from which members of the relation are read. */
export function keyQuery(type: ResourceType, names: readonly string[] = [], relation?: Relation): Query {
  const query = createQuery({ type })
  query.fields = new Map([[type.name, getOrCreate(emptyFieldsets, type, () => new Set<string>())]])
  if (relation) query.include = [{ relation, children: [] }]
  addNeeds(query, type, names)
  return query
}

/** One set per type, because fieldsets are cache keys of statements. */
const emptyFieldsets = new WeakMap<ResourceType, ReadonlySet<string>>()

/** Counts the members of a relation, and reads none. */
export function countQuery(base: Query): RelationQuery {
  return emptyRelationQuery(base, true, { window: { limit: 0, offset: 0, probe: false }, count: true })
}
