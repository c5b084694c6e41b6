import type { Faults } from '../errors/faults.ts'
import type { SortTerm } from '../schema/columns.ts'
import type { Condition } from '../schema/condition.ts'
import type { Relation, Row, Visibility } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Context } from './context.ts'
import type { Member } from './graph.ts'
import type { ParamMap, ParamValue } from './query-parameters.ts'
import type { QueryPlan } from './query-plan.ts'

/** What to read and render. Plugins fill it, providers execute it. */
export interface Query {
  /** The type of the primary data, or the first of several types. */
  readonly type: ResourceType
  readonly types: readonly ResourceType[]
  /** Fieldsets by type name: the fields to render. */
  fields: ReadonlyMap<string, ReadonlySet<string>>
  /** What `hiddenFor` hides from the requester. Null if nothing is hidden. */
  visibility: Visibility | null
  include: Include
  /** Properties of a type that hooks need in addition to the rendered fields. */
  needs: ReadonlyMap<ResourceType, readonly string[]>
  /** True if the client sent a valid include: the document has `included`, even if it is empty. */
  includeRequested: boolean
  readonly where: Condition[]
  /** True if the primary data are one resource or null, read as a collection. */
  single: boolean
  sort: readonly SortTerm[]
  paginator: Paginator | null
  window: Window | null
  /** The most rows to return. Set for each request that reads a collection. Null without a limit. */
  rowLimit: RowLimit | null
  /** The largest page that fits into the document. Infinity without a limit. */
  maxPageSize: number
  count: boolean
  /** To-many relations of the primary data to count. */
  counts: ReadonlySet<Relation>
  /** Filters and sorts of relations of the primary data. */
  related: ReadonlyMap<Relation, RelationFilterAndSort>
  /** The profiles that the response applies because of the query. */
  profiles: readonly string[]
  /** The query parameter families that the client sent, and their values. */
  readonly requested: ReadonlyMap<string, ParamValue>
  /** What is decided once for all requests with this query. */
  plan: QueryPlan | null
  /** Faults are collected while the parameters are read, and thrown together. */
  readonly faults: Faults
}

/** The filter and sort of one relation of every primary resource. The plugins that own `filter` and `sort` read them. */
export interface RelationFilterAndSort {
  readonly filter?: SentMember<ParamMap>
  readonly sort?: SentMember<string>
  where: readonly Condition[]
  terms: readonly SortTerm[]
}

/** A part of a relationship query. */
interface SentMember<Value> {
  /** The name of the query parameter as sent, for errors: `rQ[tracks][sort]`. */
  readonly parameter: string
  readonly value: Value
}

/** The query of one relation load. */
export type RelationQuery = Pick<Query, 'where' | 'sort' | 'paginator' | 'window' | 'count' | 'rowLimit'> & {
  readonly base: Query
  /** Whether only identifiers of the members are shown. */
  readonly linkage: boolean
  /** The query string with the same filter and sort for the URL of the relation. */
  search?: string
}

/** Related rows that were read together with the row of their parent, as the plan of the query has decided. */
export interface JoinedRows {
  readonly parent: Row
  readonly relation: Relation
  readonly page: Page
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

/** The relations to include from a level: a list, or a function of the loaded members. */
export type Include = readonly IncludeNode[] | ((members: readonly Member[]) => readonly IncludeNode[])

export interface IncludeNode {
  readonly relation: Relation
  readonly children: Include
  /** The parents to load the relation for. Left out for all parents of the level. */
  readonly parents?: ReadonlySet<Row>
}

/** The part of a collection to read. */
export interface Window {
  /** Null reads to the end. */
  readonly limit: number | null
  readonly offset: number
  /** Whether to read one row past the limit, to find out if there are more. */
  readonly probe: boolean
  readonly keyset?: Keyset
}

/** A window by the sort values of a boundary row instead of an offset. Its records have their sort values: `keysetKey`. */
export interface Keyset {
  readonly terms: readonly SortTerm[]
  /** The values of the terms, as in the cursor. */
  readonly after?: readonly unknown[] | undefined
  readonly before?: readonly unknown[] | undefined
}

/** The rows of a window. */
export interface Page {
  readonly records: readonly Row[]
  /** Whether there is a row past the limit, or before the start of a window that is read backwards. */
  readonly hasMore: boolean
  /** The type of each record, if there are several types. */
  readonly types?: readonly ResourceType[]
  /** Set only if the collection was counted. */
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
  /** The profile that describes its pages. Responses apply it on servers that have it. */
  readonly profile?: string
  /** Whether it uses keyset windows, which members of several types do not support. */
  readonly keyset?: boolean
  /** Whether it always counts. */
  readonly counts: boolean
  /** Sentences about its options, reported at boot. */
  readonly faults?: readonly string[]
  /** `params` are the `page[…]` members that are strings. Faults go to the query. */
  window(params: PageParams, query: Query): Window
  /** `link` makes the URL of the same collection with other page parameters. */
  page(page: Page, window: Window, type: ResourceType, link: PageLink): PageView
}

export type PageParams = Readonly<Record<string, string>>
export type PageLink = (params: PageParams) => string

/** The members of a relation that are about to be read, for the hook `beforeRelationLoad`. */
export interface RelationLoad {
  readonly relation: Relation
  readonly query: RelationQuery
  /** The include path of the relation; its name at the first level. */
  readonly path: string
  /** Whether the members are rendered in `included`; otherwise only their linkage is. */
  readonly included: boolean
  /** The parents are the primary data. */
  readonly ofPrimary: boolean
  /** The members are the primary data. Their query was read from the URL and is frozen: `onQuery` changes it. */
  readonly primary?: boolean
  readonly context: Context
  parents: readonly Row[]
}
