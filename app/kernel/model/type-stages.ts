import type { Awaitable } from '../lib/awaitable.ts'
import type { Condition } from './condition.ts'
import type { Context } from './context.ts'
import type { Relation, Row } from './field.ts'
import type { MemberWrite, Operation } from './operation.ts'
import type { RelationLoad } from './query.ts'
import type { ResourceType } from './resource-type.ts'

/**
 * The stages of a resource type to which plugins add steps. They run whenever an operation reads or writes rows of the type,
 * at any point inside its unit.
 */
export interface TypeStages {
  /** Once per operation and type, before a statement that the condition is part of. */
  scope: Scope
  /** Returns for each row whether the requester has the ability on it; one answer if `rows` is null. Only true allows. */
  allows(
    type: ResourceType,
    ability: string,
    rows: readonly Row[] | null,
    context: Context,
  ): Awaitable<readonly boolean[]>
  /** Returns for each row whether it is shown; only true shows. Not called for the subject of the operation. */
  filterRows(type: ResourceType, rows: readonly Row[], context: Context): Awaitable<readonly boolean[]>
  /**
   * Before a relation of the type is loaded or counted: sets window and filter, removes parents. A plugin that removes
   * parents or throws sets `guarded` on the relation, or its linkage is rendered from the foreign key, or after the commit.
   */
  beforeRelationLoad(load: RelationLoad): Awaitable<void>
  /** Inside the transaction, around a change of rows of the type. Throws to reject the write. */
  checkRows: RowCheck
  /** After all rows of a document are loaded, once per type: adds links with `context.graph.addLink`. */
  beforeRender(type: ResourceType, rows: readonly Row[], context: Context): Awaitable<void>
}

/** Returns a condition on rows; undefined for all rows. An answer of another kind excludes all rows. */
export interface Scope {
  /**
   * `addressed`: rows that exist for the requester, in every statement. `visible`: in addition, rows that are shown outside
   * of their own URLs. `written`: a row after a write, or the write is a 403 (401 without a principal).
   */
  readonly of: 'addressed' | 'visible' | 'written'
  condition(type: ResourceType, context: Context): Awaitable<Condition | undefined>
}

export type RowCheck = MembersCheck | LinksCheck | WrittenCheck

/**
 * Runs before the operation of another resource changes or deletes rows of the type: members that move to or from their
 * parent, the object of an attribute declared with `on()`. The rows are locked. `beforeSave` and `afterCommit` follow for
 * each row.
 */
export interface MembersCheck {
  readonly of: 'members'
  check(type: ResourceType, writes: readonly MemberWrite[]): Awaitable<void>
}

/**
 * Runs before rows of the type are added to or removed from a many-to-many of another resource. `rows` loads them with the
 * `linkNeeds` of the type; `relations` are the inverse relations.
 */
export interface LinksCheck {
  readonly of: 'links'
  check(
    operation: Operation,
    type: ResourceType,
    rows: () => Promise<readonly Row[]>,
    relations: readonly Relation[],
  ): Awaitable<void>
}

/** Runs after rows of the type are created or changed. */
export interface WrittenCheck {
  readonly of: 'written'
  check(operation: Operation, type: ResourceType, keys: readonly unknown[]): Awaitable<void>
}

/** The stages of a type to which a plugin adds its steps. */
export type TypePlanDraft = { readonly [Stage in keyof TypeStages]: TypeStages[Stage][] } & {
  readonly type: ResourceType
}

/** The steps of a type, in the order of the plugins. */
export interface TypeSteps {
  readonly scope: Readonly<Record<Scope['of'], readonly Scope[]>>
  readonly allows: readonly TypeStages['allows'][]
  readonly filterRows: readonly TypeStages['filterRows'][]
  readonly beforeRelationLoad: readonly TypeStages['beforeRelationLoad'][]
  readonly checkRows: {
    readonly members: readonly MembersCheck[]
    readonly links: readonly LinksCheck[]
    readonly written: readonly WrittenCheck[]
  }
  readonly beforeRender: readonly TypeStages['beforeRender'][]
}
