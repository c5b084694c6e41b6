import type { Context } from './context.ts'
import type { Relation, Row } from './field.ts'
import type { Changes, MemberKey } from './persister.ts'
import type { Query } from './query.ts'
import type { ResourceType } from './resource-type.ts'

/** How rows of a type are written: chosen once, by the mapping of the entity, the declaration and the steps of plugins. */
export interface Writer {
  /** Writes rows by statements. Null if the persister of the type writes them as entities. */
  readonly statements: StatementWriter | null
  /** Why entities are needed, for `npm run doctor`. Null if they are not. */
  readonly reason: string | null
}

/**
 * Writes rows by bound statements, without entities. Entities that hooks have loaded in the same unit are saved before, and
 * have the written values afterwards.
 */
export interface StatementWriter {
  /** Why rows of the type must be written as entities. Null if they need not. */
  reasonForEntities(type: ResourceType): string | null
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
}
