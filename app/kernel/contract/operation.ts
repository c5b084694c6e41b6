import type { Context, Requester } from '../data/context.ts'
import type { LinkageMode } from '../data/persister.ts'
import type { Query } from '../data/query.ts'
import type { Unit } from '../data/store.ts'
import type { ErrorDefinition } from '../errors/errors.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { RequestLimits } from './limits.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'
import type { Plan } from './stages.ts'
import type { Target } from './target.ts'

export type OperationKind =
  | 'FetchCollection'
  | 'FetchOne'
  | 'FetchRelated'
  | 'FetchRelationship'
  | 'Create'
  | 'Update'
  | 'Delete'
  | 'UpdateRelationship'
  | 'AddToRelationship'
  | 'RemoveFromRelationship'
  | 'Action'
  | 'FetchAction'

/** An operation that is read and checked, but has no unit yet. */
export interface PlannedOperation {
  readonly kind: OperationKind
  readonly target: Target
  readonly requester: Requester
  readonly query: Query
  /** The steps of plugins. */
  readonly plan: Plan
  /** The resource or linkage of a write. */
  readonly input?: Input
  /** The body of an action, unchecked; the document of a sent resource. */
  readonly body?: unknown
  /** The `meta` objects that the client sent with the resource, the linkage, or the `ref` of a batch. */
  readonly sentMeta?: readonly SentMeta[]
  /** The JSON pointer of the operation in a batch. */
  readonly pointer?: string
}

/** A `meta` object of a request, and its JSON pointer. */
export interface SentMeta {
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

/** An operation inside its unit. */
export interface Operation extends PlannedOperation {
  readonly context: Context
  /** Evaluated as the last check of a write. */
  readonly preconditions?: readonly Precondition[]
  /** Set by a hook before `afterOperation` if the requester may run the write, but not see its result: the response is a 204. */
  hidesResult?: boolean
  /** The key of the row that a create or an update has saved. */
  savedKey?: unknown
}

/** A condition of a write, evaluated as its last check. */
export type Precondition = SubjectPrecondition | VersionPrecondition

/** A condition on the stored subject, which is null for a create. Throws to reject the write. */
type SubjectPrecondition = (subject: object | null) => Awaitable<void>

/** A condition on the version of the stored row. A write that does not read the row compares it in its statement. */
export interface VersionPrecondition {
  readonly versions: readonly string[]
  readonly check: SubjectPrecondition
}

/** The transaction of the writes of one HTTP request. */
export interface RequestTransaction {
  readonly request: ApiRequest
  readonly unit: Unit
  readonly operations: readonly PlannedOperation[]
  /** Adds work at the end of the transaction, after all operations. It throws to roll back. */
  beforeCommit(work: BeforeCommit): void
  /** The ids of created resources, by the names under which later operations of the request refer to them. */
  readonly createdIds: CreatedIds
  /** Returns an operation with these ids in place of the names. */
  resolve(planned: PlannedOperation): PlannedOperation
}

export type CreatedIds = Map<string, string>

/** `respond` writes the response to `ctx`. That is the one that is sent, unless `afterCommit` returns another. */
export type BeforeCommit = (respond: () => Promise<void>) => Awaitable<void>

/** Runs an operation inside its unit. */
export type Handler = (operation: Operation) => Promise<ApiResponse>

/** An operation that a plugin adds to a resource type, at a URL of its own: `POST /albums/1/-actions/reissue`. */
export interface Action {
  readonly name: string
  readonly type: ResourceType
  /** Whether the URL addresses one resource or the collection. */
  readonly on: 'resource' | 'collection'
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The policy method that authorizes it. */
  readonly ability: string
  /** The type of the resource in the request document. Null if the body is not a document. */
  readonly input: ResourceType | null
  /** The type of the primary data of its response. Null if it has none. */
  readonly shows: ResourceType | null
  /** Whether resources have a link to it if the requester may run it. */
  readonly isLinked: boolean
  /** Whether its response shows a secret once: no plugin may store it. */
  readonly showsSecret: boolean
  /** Declared errors that it may throw, beside those of its type. */
  readonly errors: readonly ErrorDefinition[]
  /** The name of its own events: `Restore` for `BeforeRestore` and `AfterRestore`. */
  readonly event?: string
  readonly run: Handler
}

export interface Identifier {
  readonly type: string
  readonly id?: string
  readonly lid?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface LinkageInput {
  readonly relation: Relation
  /** A list if the relation is to-many. */
  readonly data: Identifier | readonly Identifier[] | null
  /** The JSON pointer of `data` in the request. */
  readonly pointer: string
}

/** The body of a write, with a valid structure. */
export interface Input {
  /** The id that the client gave to a new resource. */
  readonly id?: string
  readonly lid?: string
  /** Null if the member was not sent. */
  readonly attributes: Readonly<Record<string, unknown>> | null
  readonly linkage: readonly LinkageInput[]
}

/** How each operation at the URL of a relationship changes the members. */
const modes: Readonly<Partial<Record<OperationKind, LinkageMode>>> = {
  UpdateRelationship: 'replace',
  AddToRelationship: 'add',
  RemoveFromRelationship: 'remove',
}

/** Linkage inside a resource replaces the members. */
export function linkageModeOf(kind: OperationKind): LinkageMode {
  return modes[kind] ?? 'replace'
}

/** Whether the operation changes a relationship at its own URL. */
export function isRelationshipWrite(kind: OperationKind): boolean {
  return kind in modes
}

export function isWrite(kind: OperationKind): boolean {
  return !kind.startsWith('Fetch')
}

/** Whether a write addresses a stored resource: a create and an action of a collection do not. */
export function hasSubject({ kind, target }: Pick<PlannedOperation, 'kind' | 'target'>): boolean {
  return kind !== 'Create' && target.action?.on !== 'collection'
}

/** A change of a row of another resource, as an operation of its own. */
export interface MemberWrite {
  readonly operation: Operation
  readonly entity: object
  /** The relations of the row that change. */
  readonly relations: readonly Relation[]
}

export interface InputOptions {
  readonly update: boolean
  /** In a batch, identifiers may be local ids, and an update may omit its id. */
  readonly acceptsLocalIds: boolean
  readonly limits: RequestLimits
}

declare module '../schema/resource-type.ts' {
  interface ResourceType {
    /** Actions; plugins add theirs in `onCompile`. */
    readonly actions: Action[]
  }
}
