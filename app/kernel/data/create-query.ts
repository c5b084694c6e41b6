import { Faults } from '../errors/faults.ts'
import type { SortTerm } from '../schema/columns.ts'
import type { Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Query, RelationQuery } from './query.ts'

/** Shared empty defaults. They are replaced, never changed. */
const emptyMap = new Map<never, never>()
const emptySet = new Set<never>()
const none: readonly never[] = []

/** What the URL of a query addresses. */
interface Addressed {
  readonly type: ResourceType
  readonly relation?: Relation
  readonly action?: { readonly shows: ResourceType | null }
}

/** Creates a query for the rows that a URL addresses, without filters, sorts and pages. */
export function createQuery(
  { type, relation, action }: Addressed,
  requested: Query['requested'] = emptyMap,
  faults = new Faults(0),
): Query {
  return {
    type: relation?.target ?? action?.shows ?? type,
    types: relation?.targets ?? [action?.shows ?? type],
    fields: emptyMap,
    visibility: null,
    include: none,
    needs: emptyMap,
    includeRequested: false,
    where: [],
    single: false,
    sort: none,
    paginator: null,
    window: null,
    rowLimit: null,
    maxPageSize: Number.POSITIVE_INFINITY,
    count: false,
    counts: emptySet,
    related: emptyMap,
    profiles: none,
    plan: null,
    requested,
    faults,
  }
}

/** Reads all members of a relation, unless the parts limit them. */
export function emptyRelationQuery(base: Query, linkage: boolean, parts: Partial<RelationQuery> = {}): RelationQuery {
  return { where: [], sort: [], paginator: null, window: null, count: false, rowLimit: null, base, linkage, ...parts }
}

/**
 * The relation query of a URL whose primary data are the members of a relation. Frozen: a step that changes it would change a page
 * that the statement of the parent may have read.
 */
export function relationQuery(base: Query, linkage: boolean): RelationQuery {
  const { where, sort, paginator, window, count } = base
  const frozen = Object.freeze([...where]) as RelationQuery['where']
  return Object.freeze({ where: frozen, sort, paginator, window, count, rowLimit: null, base, linkage })
}

export function addNeeds(query: Query, type: ResourceType, properties: readonly string[]): void {
  const needs = query.needs.get(type)
  if (!needs && properties.length === 0) return
  query.needs = new Map(query.needs).set(type, needs ? [...needs, ...properties] : properties)
  query.plan = null
}

/** Makes the order unique: adds the primary key in the direction of the last term. */
export function completeOrder(terms: readonly SortTerm[], type: ResourceType): readonly SortTerm[] {
  const { property } = type.id
  if (terms.some((term) => term.property === property && !term.pivot)) return terms
  return [...terms, { key: 'id', property, descending: terms.at(-1)?.descending ?? false }]
}
