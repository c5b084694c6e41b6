import { Faults } from '../errors/faults.ts'
import type { Condition } from './condition.ts'
import type { Relation, Row } from './field.ts'
import type { Member } from './graph.ts'
import type { Schema } from './openapi.ts'
import type { ParamMap, ParamValue } from './query-parameters.ts'
import type { ResourceType } from './resource-type.ts'
import type { Target } from './target.ts'
import type { Visibility } from './visibility.ts'

/** What is to be read and rendered. Plugins fill it, the store executes it; it names no plugin. */
export interface Query {
  /** The type of the primary data; the first of them when they are mixed. */
  readonly type: ResourceType
  readonly types: readonly ResourceType[]
  /** Fieldsets by type name: the members that will be rendered. */
  fields: ReadonlyMap<string, ReadonlySet<string>>
  /** What `hiddenFor` hides from the requester; null when nothing is, as in a statement of the program's own. */
  visibility: Visibility | null
  include: Include
  /** Properties hooks need on the records of a type, beyond what is rendered. */
  needs: ReadonlyMap<ResourceType, readonly string[]>
  /** True when the client sent a usable include; then the document has `included`, even when empty. */
  includeRequested: boolean
  readonly where: Condition[]
  /** The collection is answered as one resource, or null. */
  single: boolean
  sort: readonly SortTerm[]
  paginator: Paginator | null
  window: Window | null
  /** The largest page the document has room for; Infinity without a limit. */
  maxPageSize: number
  /** Set while the primary data are read. */
  rowLimit?: RowLimit | null
  /** The total of the collection was asked for. */
  count: boolean
  /** To-many relations of the primary data whose size was asked for. */
  counts: ReadonlySet<Relation>
  /** What was asked of relations of the primary data. */
  related: ReadonlyMap<Relation, RelatedQuery>
  /** Query families the client sent, and what stood there. */
  readonly requested: ReadonlyMap<string, ParamValue>
  /** Faults are collected while reading and thrown together. */
  readonly faults: Faults
}

/** A question about one relation of every primary resource; the plugins that own `filter` and `sort` read their part. */
export interface RelatedQuery {
  /** The query parameter it was sent in, as written: `rQ[tracks]`. */
  readonly parameter: string
  readonly filter?: ParamMap
  readonly sort?: string
  where: readonly Condition[]
  terms: readonly SortTerm[]
}

/** The query of one relation load: no faults of its own, and related to a path. */
export type RelationQuery = Pick<Query, 'where' | 'sort' | 'paginator' | 'window' | 'count'> & {
  readonly base: Query
  /** Only identifiers will be shown of the members. */
  readonly linkage: boolean
  /** Set while the relation is read. */
  rowLimit?: RowLimit | null
  /** The query string that asks the same of the relation's own URL. */
  search?: string
}

/**
 * The most rows a provider may return for a query, whatever the window is. A provider reads at most one row more, and
 * calls `refuse` if it finds that row.
 */
export interface RowLimit {
  readonly rows: number
  /** Throws DOCUMENT_TOO_LARGE. */
  readonly refuse: () => never
}

export interface SortTerm {
  readonly key: string
  readonly property: string
  readonly descending: boolean
  /** Of the association row through which the rows are reached. */
  readonly pivot?: boolean
  /** Made by an author's handler; positions in such an order cannot be named. */
  readonly custom?: boolean
}

/** The relations to include from a level: known beforehand, or decided when its members are there. */
export type Include = readonly IncludeNode[] | ((members: readonly Member[]) => readonly IncludeNode[])

export interface IncludeNode {
  readonly relation: Relation
  readonly children: Include
  /** Only these parents, when not all of the level. */
  readonly parents?: ReadonlySet<Row>
}

/** The part of a collection to read. */
export interface Window {
  /** Null reads to the end. */
  readonly limit: number | null
  readonly offset: number
  /** Reads one row past the limit, to know whether there is more. */
  readonly probe: boolean
  readonly keyset?: Keyset
}

/** A window by position in the order instead of by number. */
export interface Keyset {
  readonly terms: readonly SortTerm[]
  /** Values of the terms, as the token carried them. */
  readonly after?: readonly unknown[] | undefined
  readonly before?: readonly unknown[] | undefined
}

/** What was read of a collection. */
export interface Page {
  readonly records: readonly Row[]
  /** The probe found a row past the limit (past the start, when walking backwards). */
  readonly hasMore: boolean
  /** The type of each record, when they are mixed. */
  readonly types?: readonly ResourceType[]
  /** Present only when counted. */
  readonly total?: number
}

export interface PageView {
  /** Unavailable links are left out. */
  readonly links: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A pagination strategy. It may be declared on a resource or a relation. */
export interface Paginator {
  readonly kind: string
  /** The profile that describes its pages; where that is not registered, the paginator is not used. */
  readonly profile?: string
  /** Whether its windows are positions in an order, which mixed members do not have. */
  readonly keyset?: boolean
  /** Whether it counts without being asked. */
  readonly counts: boolean
  /** `params` are the `page[…]` members that are strings. Faults go to the query. */
  window(params: PageParams, query: Query): Window
  /** What clients may send to it and see of it, for the documentation. */
  readonly description?: PageDescription
  /** `link` makes the URL of the same collection with other page parameters. */
  page(page: Page, window: Window, type: ResourceType, link: PageLink): PageView
}

export interface PageDescription {
  /** What the component of its meta is called. */
  readonly name: string
  /** The members of `page` it reads. */
  readonly parameters: Readonly<Record<string, Schema>>
  /** The members of `meta.page`. */
  readonly meta: Readonly<Record<string, Schema>>
}

export type PageParams = Readonly<Record<string, string>>
export type PageLink = (params: PageParams) => string

/** Stand where nothing was said; whoever says something puts a collection of their own in the place. */
const nothing = new Map<never, never>()
const nobody = new Set<never>()
const none: readonly never[] = []

export function createQuery(
  { type, relation }: Pick<Target, 'type' | 'relation'>,
  requested: Query['requested'] = nothing,
  faults = new Faults(0),
): Query {
  return {
    type: relation?.target ?? type,
    types: relation?.targets ?? [type],
    fields: nothing,
    visibility: null,
    include: none,
    needs: nothing,
    includeRequested: false,
    where: [],
    single: false,
    sort: none,
    paginator: null,
    window: null,
    maxPageSize: Number.POSITIVE_INFINITY,
    count: false,
    counts: nobody,
    related: nothing,
    requested,
    faults,
  }
}

/** Reads all members of a relation, unless parts say otherwise. */
export function emptyRelationQuery(base: Query, linkage: boolean, parts: Partial<RelationQuery> = {}): RelationQuery {
  return { where: [], sort: [], paginator: null, window: null, count: false, base, linkage, ...parts }
}

/** The relation query of a URL whose primary data are the members of a relation. */
export function relationQuery(base: Query, linkage: boolean): RelationQuery {
  const { where, sort, paginator, window, count } = base
  return { where, sort, paginator, window, count, base, linkage }
}

/** Adds to what hooks need; nobody takes away what another needs. */
export function addNeeds(query: Query, type: ResourceType, properties: readonly string[]): void {
  const known = query.needs.get(type)
  if (!known && properties.length === 0) return
  query.needs = new Map(query.needs).set(type, known ? [...known, ...properties] : properties)
}

/** A unique order: the terms, then the primary key in the direction of the last. */
export function completeOrder(terms: readonly SortTerm[], type: ResourceType): readonly SortTerm[] {
  const { property } = type.id
  if (terms.some((term) => term.property === property && !term.pivot)) return terms
  return [...terms, { key: 'id', property, descending: terms.at(-1)?.descending ?? false }]
}
