import type { Context } from '../data/context.ts'
import type { WritePlan } from '../data/persister.ts'
import type { Query, RelationLoad } from '../data/query.ts'
import type { QueryPlan } from '../data/query-plan.ts'
import type { Faults } from '../errors/faults.ts'
import type { Awaitable, Optional } from '../lib/awaitable.ts'
import type { Condition } from '../schema/condition.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { App } from './app.ts'
import type {
  Action,
  Input,
  MemberWrite,
  Operation,
  OperationKind,
  PlannedOperation,
  Precondition,
  RequestTransaction,
} from './operation.ts'
import type { ApiRequest, Exchange, Reply } from './request.ts'
import type { ApiResponse, Document } from './response.ts'
import type { Server } from './server.ts'

/** The stages of an operation to which plugins add steps, in this order. */
export interface Stages {
  /** Once per HTTP request, also of a plugin's route, before the query string is read. Throws to reject. */
  begin(request: ApiRequest): Awaitable<void>
  /** Once per HTTP request after all operations are valid, before the transaction. Throws to reject. */
  authorize(request: ApiRequest, operations: readonly PlannedOperation[]): Awaitable<void>
  /**
   * Once per HTTP request that writes, inside the transaction before its first operation; again if the transaction is
   * retried. May return a response, which ends the request: no operation runs.
   */
  transaction(transaction: RequestTransaction): Optional<ApiResponse>
  /**
   * For writes, inside the transaction, before the subject is loaded. Returns the precondition of the write, or null if it
   * has none. It is evaluated as the last check before `beforeSave`: the subject is locked and the input is valid.
   */
  precondition(operation: Operation): Precondition | null
  /**
   * Inside the transaction after the subject is loaded in scope and, for a write, locked: an entity, or a record of the
   * columns that the query needs. Null for a create and a collection. May return a response, which ends the operation.
   * A check `{ of: 'input', check }` reads no stored row: an update, a deletion or a relationship write need not load it.
   */
  check: SubjectCheck | InputCheck
  /** Inside the transaction after the relation gates, before the input is written to the entity: adds to `faults`. */
  validate: Validation
  /**
   * Inside the transaction after the entity is changed, before it is saved: may change it, so that rows of the type are
   * written as entities. For an action, after its input is valid, before its handler: outside of a transaction if the method
   * is GET, and with null for an action of a collection. Throws to roll back. A check `{ of: 'row', check }` only reads the
   * values that are going to be saved: the type may be written by statements.
   */
  beforeSave: EntityHook | RowCheckBeforeSave
  /** For creates and updates inside the transaction, after the entity is saved. May return another response. */
  afterSave(operation: Operation, entity: object, saved: unknown): Optional<ApiResponse>
  /**
   * For a read after its primary records are read, before their relations; may run again. For a write inside the transaction
   * after the operation is complete: an error rolls back. May return another response.
   */
  afterOperation(operation: Operation, response: ApiResponse): Optional<ApiResponse>
  /** After the commit. May return another response. An error is logged; the client gets the response of the write. */
  afterCommit(operation: Operation, response: ApiResponse): Optional<ApiResponse>
  /**
   * Once per response and type, in a batch once per result, before its resource objects are written. Returns null, or a
   * function of the record whose result is added to the `meta` of the resource object.
   */
  meta(type: ResourceType, request: ApiRequest): ResourceMeta | null
  /** After the document is built, before it is sent; not for errors. May change the document. */
  document(request: ApiRequest, document: Document, response: ApiResponse): Awaitable<void>
  /** Before a response of a JSON:API endpoint is sent, also of errors and 204, but not a stored one: sets status and headers. */
  respond(reply: Reply): void
  /** Last, after the response, also of an error, is written to `ctx`, before it is sent. Must not throw. */
  beforeSend(exchange: Exchange): Awaitable<void>
}

/** A check of the subject of an operation. */
export type SubjectCheck = (operation: Operation, subject: object | null) => Optional<ApiResponse>

/** A check of an operation by its input and its requester alone. The subject may be null. */
export interface InputCheck {
  readonly of: 'input'
  readonly check: SubjectCheck
}

/** A hook that receives the entity of a write, and may change it. */
export type EntityHook = (operation: Operation, entity: object | null) => Awaitable<void>

/** A check of the values of a row before they are saved. It must not change them. */
export interface RowCheckBeforeSave {
  readonly of: 'row'
  readonly check: EntityHook
}

/** The check of the input of a write. `row`: an update reads the stored row before; `input`: the subject may be null. */
export interface Validation {
  readonly of: 'input' | 'row'
  check(operation: Operation, input: Input, subject: object | null, faults: Faults): Awaitable<void>
}

/** What is decided once for all requests to an endpoint whose queries have the same shape. */
export type Plan = {
  readonly [Stage in Exclude<keyof Stages, 'check' | 'beforeSave'>]: readonly Stages[Stage][]
} & {
  readonly check: readonly SubjectCheck[]
  readonly beforeSave: readonly EntityHook[]
  /** The plugin of each step. */
  readonly plugins: Readonly<Record<keyof Stages, readonly string[]>>
  /** How rows are written. */
  readonly write: WritePlan
  /** The endpoint, as a part of keys. */
  readonly key: string
  readonly kind: OperationKind | null
  readonly writes: boolean
  /** How rows are read and shown. Null without a query. */
  readonly query: QueryPlan | null
}

/**
 * A plan to which plugins add their steps. It is made once per endpoint and set of profiles, and again for each shape of a
 * query.
 */
export type PlanBuilder = PlanFacts & { readonly [Stage in keyof Stages]: Stages[Stage][] }

/** What a plan is made for. */
export interface PlanFacts {
  readonly app: App
  readonly server: Server
  /** Null for responses without an operation: errors, OPTIONS, batches and routes of plugins. */
  readonly kind: OperationKind | null
  /** The type in the URL. */
  readonly type: ResourceType | null
  readonly relation: Relation | null
  readonly action: Action | null
  /** The profiles of the server that the client requests in Accept. */
  readonly profiles: ReadonlySet<string>
  /**
   * The query, without the values of filters, pages and cursors: they differ between the requests of a plan. Null for a plan
   * without an operation, and before the query is read, for the stage `begin`.
   */
  readonly query: QueryShape | null
}

/** The part of a query that all requests of a plan have in common. */
type QueryShape = Pick<
  Query,
  | 'type'
  | 'types'
  | 'fields'
  | 'include'
  | 'includeRequested'
  | 'needs'
  | 'sort'
  | 'single'
  | 'count'
  | 'counts'
  | 'profiles'
>

export type ResourceMeta = (record: Row) => Readonly<Record<string, unknown>> | undefined

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
   * Before a relation of the type is loaded or counted: sets window and filter, unless the members are the primary data, and
   * removes parents. A plugin whose step removes parents or throws sets `hasReadAbility` on the relation. Otherwise the kernel
   * may render the linkage from the foreign key without the step, or run the step after the commit.
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
interface MembersCheck {
  readonly of: 'members'
  check(type: ResourceType, writes: readonly MemberWrite[]): Awaitable<void>
}

/**
 * Runs before rows of the type are added to or removed from a many-to-many of another resource. `rows` loads them with the
 * `linkColumns` of the type; `relations` are the inverse relations.
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
interface WrittenCheck {
  readonly of: 'written'
  check(operation: Operation, type: ResourceType, keys: readonly unknown[]): Awaitable<void>
}

/** The stages of a type to which a plugin adds its steps. */
export type TypePlanBuilder = { readonly [Stage in keyof TypeStages]: TypeStages[Stage][] } & {
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
  /** The plugin of each step. */
  readonly plugins: Readonly<Record<keyof TypeStages, readonly string[]>>
}

declare module '../schema/resource-type.ts' {
  interface ResourceType {
    /** The steps of plugins. Set when all declarations are valid, with `filtersRowsAfterRead` and `mayBeScoped`. */
    steps: TypeSteps
  }
}
