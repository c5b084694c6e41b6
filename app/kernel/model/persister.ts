import type { Awaitable } from '../lib/awaitable.ts'
import type { Context } from './context.ts'
import type { Relation, Row } from './field.ts'
import type { LinkageMode } from './operation.ts'
import type { Query } from './query.ts'
import type { ResourceType } from './resource-type.ts'
import type { RowKeys } from './store.ts'

/** The new values of a row, by entity property. */
export interface Changes {
  readonly key?: unknown
  readonly values: ReadonlyMap<string, unknown>
  /** Functions of the author that write to the entity, called after the values are set. */
  readonly fills: readonly ((entity: object) => Awaitable<void>)[]
  readonly toOne: ReadonlyMap<Relation, RelatedKey | null>
}

/** The new values of a pivot row. */
export type PivotChanges = Pick<Changes, 'values' | 'fills'>

export interface RelatedKey {
  readonly type: ResourceType
  readonly key: unknown
}

/** The key of a member that a write names. */
export interface MemberKey extends RelatedKey {
  /** The JSON pointer of the member in the request. */
  readonly pointer: string
}

/** A member that a write names. */
export interface RelatedMember extends MemberKey {
  /** Returns the sent values for its pivot row; `row` is null if there is none yet. */
  pivotChanges(row: object | null): PivotChanges
}

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

/** Writes rows. The store is the default; a resource may declare its own persister. */
export interface Persister {
  /** Whether its writes are part of the unit's transaction; a batch accepts no others. */
  readonly transactional: boolean
  /** Writes rows without entities. Without it every write takes the regular path. */
  readonly fast?: FastPath
  /** Reads and locks the subject of a write, within its scope. Null if there is no such row. */
  load(type: ResourceType, key: unknown, context: Context): Promise<object | null>
  /**
   * Locks the rows that a batch changes, within their scope, in an order that is the same for all transactions. Does not
   * report missing rows.
   */
  lockInOrder?(rows: RowKeys, context: Context): Promise<void>
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
  /** Like `load`, for a row; `names` are dotted paths (`owner.email`) to read as well. */
  lock(type: ResourceType, key: unknown, context: Context, names?: readonly string[]): Promise<Row | null>
  /**
   * Inserts rows, or updates the row of the subject. Returns the rows in the order of the changes. Null if nothing was
   * written: the row has these values already, or `checksTargets` found a row that the requester does not see.
   * Undefined if a value cannot be bound as a parameter, for example `raw()`, or if hooks have loaded or created entities:
   * the write takes the regular path.
   */
  write(write: FastWrite, context: Context): Promise<readonly Row[] | null | undefined>
  /**
   * Locks the parent with the key, reads the members and adds them, by one statement. False if that is not possible, or
   * if the requester does not see the parent or one of the members: nothing is written then. `isOnlyStatement` as in
   * `FastWrite`.
   */
  addMembers(
    relation: Relation,
    key: unknown,
    members: readonly MemberKey[],
    context: Context,
    isOnlyStatement: boolean,
  ): Promise<boolean>
}

export interface FastWrite {
  readonly type: ResourceType
  /** The locked row that is updated; null inserts rows, unless there is a key. */
  readonly subject: Row | null
  /** The key of a row that is updated without having been read, if it is in scope and a value changes. */
  readonly key?: unknown
  /** One per row; an update has one. `fills` are empty. */
  readonly changes: readonly [Changes, ...Changes[]]
  /** Selects the columns of the returned rows. */
  readonly query: Query
  /** Whether the statement checks that the requester sees the rows its to-ones refer to. */
  readonly checksTargets: boolean
  /** Whether no other statement writes, so that `begin` and `commit` can be left out. */
  readonly isOnlyStatement: boolean
}
