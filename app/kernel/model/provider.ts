import type { EntityClass, EntityManager } from '@mikro-orm/core'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Condition } from './condition.ts'
import type { Context, Origin } from './context.ts'
import type { Relation, Row } from './field.ts'
import type { LinkageMode } from './operation.ts'
import type { Page, Query, RelationQuery } from './query.ts'
import type { Queue } from './queue.ts'
import type { ResourceType } from './resource-type.ts'

/** What the store knows of an entity; the registry compares declarations with it. */
export interface EntityShape {
  readonly name: string
  readonly key: string
  readonly properties: ReadonlyMap<string, PropertyShape>
}

export interface PropertyShape {
  readonly name: string
  /** The column, of a property that has one. */
  readonly column?: string
  readonly role: 'scalar' | 'toOne' | 'toMany'
  /** Lazy properties are not part of the whole row. */
  readonly lazy: boolean
  /** Whether an entity holds the value in an object of its own: a reference to a lazy scalar, an embeddable. */
  readonly wrapped?: boolean
  readonly nullable: boolean
  /** The longest text the column holds. */
  readonly maxLength?: number
  /** The numbers the column holds. */
  readonly range?: readonly [min: number, max: number]
  /** Whether the column, which is a list, holds the item as it is. */
  holdsItem?(item: unknown): boolean
  /** The entity whose rows join the two sides of a many-to-many. */
  readonly association?: EntityClass<object>
  /** The members of this relation cannot be without a parent: their key must be set, and orphans are not removed. */
  readonly keepsMembers?: boolean
  /** Of a to-one to a single entity: the primary key of that entity. */
  readonly targetKey?: string
  /** The shape of that entity. */
  target?(): EntityShape
  /** The entities a relation leads to. */
  readonly targets?: readonly EntityClass<object>[]
  /** Of a relation: the property of the related entity that is its other side, where the mapping of this side names it. */
  readonly inverse?: string
  /** True when the value is a column of this entity's own table. */
  readonly owner: boolean
  /** The stored form of a value written in a URL; undefined when the column can hold no such value. */
  parse(text: string): unknown
  /** Whether the column can be compared with a JSON value that once came out of it. */
  accepts(value: unknown): boolean
}

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
  /** Adds to every row, under `withinKey`, whether it meets this condition. */
  readonly mark?: Condition
}

/** The new values of a row, by entity property. */
export interface Changes {
  readonly key?: unknown
  readonly values: ReadonlyMap<string, unknown>
  /** Functions of the author that write to the entity, called after the values are set. */
  readonly fills: readonly ((entity: object) => Awaitable<void>)[]
  readonly toOne: ReadonlyMap<Relation, RelatedKey | null>
}

export interface RelatedKey {
  readonly type: ResourceType
  readonly key: unknown
}

/** A member that a write names. */
export interface RelatedMember extends RelatedKey {
  /** The JSON pointer of the member in the request. */
  readonly pointer: string
  /** The values that were sent for its pivot row; null if there is no row yet. */
  rowChanges(row: object | null): RowChanges
}

export type RowChanges = Pick<Changes, 'values' | 'fills'>

export interface LinkageChange {
  readonly mode: LinkageMode
  /** Without duplicates. */
  readonly members: readonly RelatedMember[]
  /** The rows that `lockMembers` has returned for this change. */
  readonly locked?: readonly MemberRow[]
  /** Called with rows that are changed in memory, before they are saved. */
  beforeSave?(rows: readonly MemberRow[]): Promise<void>
}

/** A member whose row holds the foreign key. */
export interface MemberRow {
  readonly entity: object
  /** `delete` removes orphans; `none` leaves the row unchanged. */
  readonly change: 'attach' | 'detach' | 'delete' | 'none'
}

export interface Persister {
  /** Whether its writes are part of the unit's transaction; a batch accepts no others. */
  readonly transactional: boolean
  /** Writes rows without entities. Without it every write takes the regular path. */
  readonly fast?: FastPath
  /** Reads the subject of a write once, within its scope, and locks it; null if there is none. */
  load(type: ResourceType, key: unknown, context: Context): Promise<object | null>
  /** Creates the entity in memory; nothing is saved yet. */
  create(type: ResourceType, changes: Changes, context: Context): Promise<object>
  change(type: ResourceType, entity: object, changes: Changes, context: Context): Promise<void>
  remove(type: ResourceType, entity: object, context: Context): Promise<void>
  /** Saves all changed entities inside the transaction of the unit. Its result is passed to `afterSave`. */
  flush(type: ResourceType, context: Context, entity: object): Promise<unknown>
  /**
   * Locks the members that a change of their relation would attach, detach or delete, within the scope of the requester,
   * before anything is changed. The parent is null while it is new. Undefined if the rows of members stay unchanged.
   */
  lockMembers?(
    relation: Relation,
    parent: object | null,
    change: LinkageChange,
    context: Context,
  ): Promise<readonly MemberRow[] | undefined>
  /**
   * Changes the members of a relation whose key is not a column of the saved entity. The number of statements does not
   * depend on the number of members; members that the requester may not see are left unchanged.
   */
  relate(relation: Relation, entity: object, change: LinkageChange, context: Context): Promise<void>
  keyOf(type: ResourceType, entity: object): unknown
}

/**
 * Writes rows by bound statements, without entities. It is used for types whose writes have no hook, hydrator, fill
 * function or other function that reads the entity.
 */
export interface FastPath {
  /** Whether rows of the type can be written without entities. */
  accepts(type: ResourceType, context: Context): boolean
  /** Like `load`, for the stored values alone; `names` are dotted paths (`owner.email`) to be read with them. */
  lock(type: ResourceType, key: unknown, context: Context, names?: readonly string[]): Promise<Row | null>
  /**
   * Inserts rows, or updates the row of the subject. Returns the rows in the order of the changes. Null if nothing was
   * written: the row has these values already, or `checksTargets` found a row that the requester does not see.
   * Undefined if a value cannot be bound as a parameter, for example `raw()`: the write takes the regular path.
   */
  write(write: FastWrite, context: Context): Promise<readonly Row[] | null | undefined>
  /**
   * Looks members up and adds them by one statement. False if that is not possible, or if the requester does not see one
   * of the members: nothing is written then.
   */
  addMembers(
    relation: Relation,
    subject: object,
    members: readonly Omit<RelatedMember, 'rowChanges'>[],
    context: Context,
  ): Promise<boolean>
}

export interface FastWrite {
  readonly type: ResourceType
  /** The locked row that is updated; null inserts rows. */
  readonly subject: Row | null
  /** One per row; an update has one. `fills` are empty. */
  readonly changes: readonly [Changes, ...Changes[]]
  /** Selects the columns of the returned rows. */
  readonly query: Query
  /** Whether the statement checks that the requester sees the rows its to-ones refer to. Only for a single row. */
  readonly checksTargets: boolean
  /** Whether the transaction has no other statement, so that `begin` and `commit` can be left out. */
  readonly isOnlyStatement: boolean
}

/** One request or one batch: its EntityManager and its transaction. */
export interface Unit {
  /** MikroORM's manager of this unit, inside its transaction until the commit: the only way to the database. */
  readonly em: EntityManager
  /** Local ids of a batch, `type lid` → wire id. */
  readonly lids: Map<string, string>
  /** Calls the function if the unit fails: for writes that are not part of its transaction. */
  onRollback(undo: () => void): void
  /** Hands a job to the queue, if the transaction is committed; its id. */
  enqueue(job: string, data: object): Promise<string>
  /** Takes a job out of the queue, also one that is under way: its worker cannot finish it any more. */
  dequeue(job: string, id: string): Promise<void>
}

export interface Store {
  readonly provider: Provider
  readonly persister: Persister
  /** Whether all that a unit has written is undone when it fails. */
  readonly transactional: boolean
  readonly queue: Queue
  /** Null when it does not know the entity. */
  describe(entity: EntityClass<object>): EntityShape | null
  /** How many rows a path of relations leads to from each parent, in the order of the parents: one statement. */
  countThrough(path: readonly Relation[], parents: readonly Row[], context: Context): Promise<number[]>
  /** A unit for reading, without a transaction. Includes the writes of the requester (read-your-writes). */
  read<T>(work: (unit: Unit) => Promise<T>, origin?: Origin): Promise<T>
  /** A unit in a transaction; run again from the start when the database asks for it. */
  write<T>(work: (unit: Unit) => Promise<T>, origin?: Origin): Promise<T>
  /** A statement of a plugin's own, outside of any unit. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Migrations that are still to be run; fails when the database cannot be asked. */
  pendingMigrations(): Promise<readonly string[]>
  /** The connections to the database, where there are several. */
  pool?(): PoolState
}

export interface PoolState {
  /** All that are open. */
  readonly total: number
  readonly idle: number
  /** Requests that wait for one. */
  readonly waiting: number
}
