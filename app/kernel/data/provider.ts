import type { Condition } from '../schema/condition.ts'
import type { EntityShape } from '../schema/entity-shape.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Context } from './context.ts'
import type { Page, Query, RelationQuery } from './query.ts'

/**
 * Reads rows. The store is the default; a resource may declare its own provider, which may delegate to the store.
 * `collection` and `related` read at most one row more than `query.rowLimit` allows.
 */
export interface Provider {
  /** The shape of its rows, if it does not read entities. */
  readonly shape?: EntityShape
  /**
   * Whether a foreign key in a record (`linkKey`) is null if the requester may not see the related row. If not, linkage is
   * read with `related`.
   */
  readonly hidesKeys?: boolean
  /** Whether `one` reads the row of an include with `ReadOptions.includes`. */
  joins?(relation: Relation, query: Query): boolean
  /** Whether `one` reads the page of a relation with `ReadOptions.page`. */
  joinsPage?(relation: Relation): boolean
  one(type: ResourceType, key: unknown, query: Query, context: Context, options?: ReadOptions): Promise<Row | null>
  /** Returns rows in any order. Keys without a visible row are left out. */
  many(
    type: ResourceType,
    keys: readonly unknown[],
    query: Query,
    context: Context,
    options?: ReadOptions,
  ): Promise<Row[]>
  collection(type: ResourceType, query: Query, context: Context): Promise<Page>
  count(type: ResourceType, query: Query, context: Context): Promise<number>
  /** Reads one page per parent, in the order of the parents. A counted window with limit 0 only returns totals. */
  related(relation: Relation, parents: readonly Row[], query: RelationQuery, context: Context): Promise<Page[]>
  /** Adds missing values to the rows of a whole page or include level. */
  complete?(type: ResourceType, records: readonly Row[], query: Query, context: Context): Promise<void>
}

export interface ReadOptions {
  /** Ignores the scope, because the request has just written the row. */
  readonly justWritten?: boolean
  /** The row is addressed by its URL: `scope` applies instead of `visibleScope`. */
  readonly addressed?: boolean
  /** To-one includes that `joins` accepts. The provider may read their rows together with the row: see `context.joined`. */
  readonly includes?: readonly Relation[]
  /** A page that `joinsPage` accepts. The provider may read it together with the row: see `context.joined`. */
  readonly page?: { readonly relation: Relation; readonly query: RelationQuery }
  /** Adds to every row, under `inWriteScopeKey`, whether it meets this condition. */
  readonly mark?: Condition
}

declare module '../schema/resource-type.ts' {
  interface ResourceDeclaration<Entity> {
    /** Reads rows from another source than the database. */
    readonly provider?: Provider
  }
  interface ResourceType {
    readonly provider: Provider
  }
}
