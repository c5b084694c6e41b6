import type { Awaitable } from '../lib/awaitable.ts'
import type { Condition } from '../schema/condition.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Context } from './context.ts'
import type { Query } from './query.ts'
import type { RowKeys } from './store.ts'

/** How a write changes the members of a relation. */
export type LinkageMode = 'replace' | 'add' | 'remove'

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

/** Writes rows as entities. The store is the default; a resource may declare its own persister. */
export interface Persister {
  /** Whether its writes are part of the unit's transaction; a batch accepts no others. */
  readonly transactional: boolean
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
  /**
   * Deletes the row, also if `remove` only changes it, and the rows of join tables and association entities that refer to it.
   * Only for types that the database stores.
   */
  purge?(type: ResourceType, entity: object, context: Context): Promise<void>
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

/** How rows of a type are written: chosen once, by the mapping of the entity, the declaration and the steps of plugins. */
export interface Writer {
  /** Writes rows by statements. Null if the persister of the type writes them as entities. */
  readonly statements: StatementWriter | null
  /** Why entities are needed, for `npm run doctor`. Null if they are not. */
  readonly reason: string | null
}

/** What is decided about a write without its input, its requester and its rows. */
export interface WritePlan {
  /** Whether a step or a rule reads the stored row, so that it is locked and read first. */
  readonly needsRow: boolean
  /** Whether a step receives an entity: all rows of the type are written as entities then. The name of its stage. */
  readonly entityStage: 'beforeSave' | 'afterSave' | null
  /** Whether nothing follows the statement that writes, so that it can commit by itself. */
  readonly isSingle: boolean
  /** Whether a field of the type is hidden, or read-only for some requesters: then each sent field is checked. */
  readonly restrictsFields: boolean
}

/**
 * Writes rows by bound statements, without entities. Entities that hooks have loaded in the same unit are saved before, and
 * have the written values afterwards.
 */
export interface StatementWriter {
  /** Why rows of the type must be written as entities. Null if they need not. */
  entityWriterReason(type: ResourceType): string | null
  /** Reads and locks the subject of a write, within its scope. `names` are dotted paths (`owner.email`) to read as well. */
  lock(type: ResourceType, key: unknown, context: Context, names?: readonly string[]): Promise<Row | null>
  /**
   * Inserts rows, or updates one. Returns the rows in the order of the changes. Empty if nothing was written: the row has
   * these values already, `key` and `versions` match no row in scope, or `checksTargets` has found a row that the requester
   * does not see.
   */
  write(write: RowWrite, context: Context): Promise<readonly Row[]>
  /** Deletes a row. False if `key` and `versions` match no row in scope. */
  remove(row: AddressedRow, context: Context): Promise<boolean>
  /** Whether `addMembers` can add members to the relation: only rows of a join table change. */
  addsMembers(relation: Relation): boolean
  /**
   * Locks the parent with the key and adds the members. False if the requester does not see the parent or one of the members:
   * nothing is written then.
   */
  addMembers(relation: Relation, key: unknown, members: readonly MemberKey[], context: Context): Promise<boolean>
}

/** The row of an update or a deletion. */
export interface AddressedRow {
  readonly type: ResourceType
  /** The locked row. Null if it was not read: the statement finds it by its key, in scope. */
  readonly subject: Row | null
  readonly key: unknown
  /** The versions that the row may have. Undefined for any. */
  readonly versions?: readonly string[] | undefined
}

export interface RowWrite {
  readonly type: ResourceType
  /** The row that is updated. Null inserts rows. */
  readonly row: AddressedRow | null
  /** One per row; an update has one. `fills` are empty. */
  readonly changes: readonly [Changes, ...Changes[]]
  /** Selects the columns of the returned rows. */
  readonly query: Query
  /** Whether the statement checks that the requester sees the rows its to-ones refer to. */
  readonly checksTargets: boolean
  /**
   * The error of a written row outside of the write scope, which a statement that commits by itself fails with. Left out if the
   * caller opens a transaction, or if nothing has to be in scope after the write.
   */
  toScopeError?(scope: Condition): Error
}

declare module '../schema/resource-type.ts' {
  interface ResourceDeclaration<Entity> {
    /** Writes rows to another target than the database. */
    readonly persister?: Persister
  }
  interface ResourceType {
    readonly persister: Persister
    /** How its rows are written. Chosen before the first write. */
    writer: Writer | null
  }
}
