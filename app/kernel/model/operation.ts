import type { Awaitable, Optional } from '../lib/awaitable.ts'
import type { App } from './app.ts'
import type { Context, Origin } from './context.ts'
import type { Relation, Row } from './field.ts'
import type { RequestLimits } from './limits.ts'
import type { Principal } from './principal.ts'
import type { Query } from './query.ts'
import type { QueryPlan } from './query-plan.ts'
import type { ApiRequest, Reply } from './request.ts'
import type { ResourceType } from './resource-type.ts'
import type { ApiResponse, DataResponse, Document } from './response.ts'
import type { Server } from './server.ts'
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
export interface OperationDraft {
  readonly kind: OperationKind
  readonly target: Target
  readonly origin: Origin
  readonly query: Query
  /** The steps of plugins. */
  readonly plan: Plan
  /** The resource or linkage of a write. */
  readonly input?: Input
  /** The body of an action, unchecked. */
  readonly body?: unknown
  /** The `meta` objects that the client sent with the resource, the linkage, or the `ref` of a batch. */
  readonly sentMeta?: readonly SentMeta[]
  /** Sent attributes and relationships that the type does not declare, with suggestions. Undefined in production. */
  readonly ignored?: readonly string[]
  /** The JSON pointer of the operation in a batch. */
  readonly pointer?: string
  /** Results of functions of the author by field: each runs once, even if the write is tried again. */
  computed?: Map<object, unknown> | undefined
}

/** The stages of an operation to which plugins add steps, in this order. */
export interface Stages {
  /** Once per HTTP request, also of a plugin's route, before the query string is read. Throws to reject. */
  begin(request: ApiRequest): Awaitable<void>
  /** Once per HTTP request after all operations are valid, before the transaction. Throws to reject. */
  authorize(request: ApiRequest, operations: readonly OperationDraft[]): Awaitable<void>
  /**
   * Inside the transaction after the subject is loaded in scope and, for a write, locked: an entity, or a record of the
   * columns that the query needs. Null for a create and a collection. May return a response, which ends the operation.
   */
  check(operation: Operation, subject: object | null): Optional<ApiResponse>
  /** For reads, after the primary records are read, before their relations; may run again. May return another response. */
  afterRead(operation: Operation, response: DataResponse): Optional<ApiResponse>
  /**
   * Once per response and type, in a batch once per result, before its resource objects are written. Returns null, or a
   * function of the record whose result is added to the `meta` of the resource object.
   */
  meta(type: ResourceType, request: ApiRequest): ResourceMeta | null
  /** After the document is built, before it is sent; not for errors. May change the document. */
  document(request: ApiRequest, document: Document, response: ApiResponse): Awaitable<void>
  /** Before a response of a JSON:API endpoint but a stored one is sent, also of errors and 204: sets status and headers. */
  respond(reply: Reply): void
}

/** What is decided once for all requests to an endpoint whose queries have the same shape. */
export type Plan = { readonly [Stage in keyof Stages]: readonly Stages[Stage][] } & {
  /** The endpoint, as a part of keys. */
  readonly key: string
  readonly kind: OperationKind | null
  readonly writes: boolean
  /** How rows are read and shown. Null without a query. */
  readonly query: QueryPlan | null
}

/** A plan to which plugins add their steps. It is made once per endpoint, set of profiles and shape of a query. */
export type PlanDraft = PlanFacts & { readonly [Stage in keyof Stages]: Stages[Stage][] }

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
   * The query, without the values of filters, pages and cursors: they differ between the requests of a plan. Null for a plan without an operation, and
   * before the query is read, for the stage `begin`.
   */
  readonly query: QueryShape | null
}

/** The part of a query that all requests of a plan have in common. */
export type QueryShape = Pick<
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

/** A `meta` object of a request, and its JSON pointer. */
export interface SentMeta {
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

/** An operation inside its unit. */
export interface Operation extends OperationDraft {
  readonly context: Context
  /** Evaluated as the last check of a write. */
  readonly preconditions?: readonly Precondition[]
  /** Set by a hook before `afterWrite` if the requester may run the write, but not see its result: the response is a 204. */
  hidesResult?: boolean
}

/** A condition on the stored subject, which is null for a create. Throws to reject the write. */
export type Precondition = (subject: object | null) => Awaitable<void>

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

export type LinkageMode = 'replace' | 'add' | 'remove'

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
  readonly batch: boolean
  readonly limits: RequestLimits
}

/**
 * The parameter of `dispatch`: `{ kind: 'FetchOne', type: 'albums', id: '1', query: 'include=tracks' }`, or an action:
 * `{ action: 'reissue', type: 'albums', id: '1', attributes: { label: 'XL' } }`.
 */
export type Instruction = Common &
  (
    | { readonly kind: 'FetchCollection' }
    | { readonly kind: 'FetchOne' | 'Delete'; readonly id: string }
    | { readonly kind: 'FetchRelated' | 'FetchRelationship'; readonly id: string; readonly relation: string }
    | ({ readonly kind: 'Create'; readonly id?: string } & Content)
    | ({ readonly kind: 'Update'; readonly id: string } & Content)
    | {
        readonly kind: 'UpdateRelationship' | 'AddToRelationship' | 'RemoveFromRelationship'
        readonly id: string
        readonly relation: string
        readonly data: Linkage
      }
    | ({
        readonly kind?: undefined
        readonly action: string
        /** Of a resource action. */
        readonly id?: string
        /** The raw body, instead of attributes and relationships. */
        readonly body?: unknown
      } & Content)
  )

export interface Common {
  readonly type: string
  /** `default` if omitted. */
  readonly server?: string
  /** A query string, or an object: `{ include: ['tracks'], filter: { title: 'ok' }, page: { size: 5 } }`. */
  readonly query?: string | QueryObject
  /** The operation is authorized for this principal. Without it the program is trusted. */
  readonly principal?: Principal | null
}

export interface Content {
  readonly attributes?: Readonly<Record<string, unknown>>
  /** By name: `{ artist: { type: 'artists', id: '1' }, tracks: [] }`. */
  readonly relationships?: Readonly<Record<string, Linkage>>
}

type Linkage = Identifier | readonly Identifier[] | null

/** A list at the first level or in `fields` becomes a comma-separated list; another nested list becomes `name[]=`. */
export interface QueryObject {
  readonly [name: string]: QueryValue
}
export type QueryValue = string | number | boolean | readonly (string | number)[] | QueryObject
