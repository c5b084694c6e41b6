import type Joi from 'joi'
import type Koa from 'koa'
import type { ErrorDefinition } from '../errors/errors.ts'
import type { Faults } from '../errors/faults.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { App } from './app.ts'
import type { AppConfig } from './app-config.ts'
import type { Condition } from './condition.ts'
import type { Context } from './context.ts'
import type { Document } from './document.ts'
import type { Exchange } from './exchange.ts'
import type { Relation, Row } from './field.ts'
import type { Modifiers } from './field-words.ts'
import type { Input, MemberWrite, Operation } from './operation.ts'
import type { Query, RelationQuery } from './query.ts'
import type { QueryContext } from './query-context.ts'
import type { ParamValue } from './query-parameters.ts'
import type { ApiRequest } from './request.ts'
import type { Registry, ResourceType } from './resource-type.ts'
import type { ApiResponse, DataResponse, ErrorResponse } from './response.ts'
import type { Server } from './server.ts'

/** A feature: one folder, one line in app/plugins.ts. Its members stand in the order in which they are called. */
export interface Plugin {
  /** The name of its folder. */
  readonly name: string
  /** Plugins that must stand above this one in the list. */
  readonly requires?: readonly string[]
  /** Environment variables of its own; read and checked when it is on. */
  readonly environment?: Joi.SchemaMap
  /** Its part of the error catalogue. */
  readonly errors?: readonly ErrorDefinition[]
  /** Words it adds to fields and relations. */
  readonly modifiers?: Modifiers
  /** Keys it adds to declarations. */
  readonly keys?: readonly string[]
  /**
   * Words and keys it understands and checks, but which have no effect yet; `npm run doctor` lists their uses. One that
   * is in effect on attributes and not on relations is written `relation.minItems`.
   */
  readonly dormant?: readonly string[]
  /** Several processes serve, and this is the one above them, without an application: what they have in common begins. */
  supervise?(variables: AppConfig['variables']): Awaitable<void>
  /** All resources are read, also those with faults; nothing is served. Faults are collected with `registry.fail`. */
  onCompile?(registry: Registry, servers: readonly Server[]): void
  /** Every plugin has compiled its part: checks that depend on what other plugins have noted. */
  onCompiled?(registry: Registry, servers: readonly Server[]): void
  /** What is allowed but hardly meant, a sentence each: logged at every start and listed by `npm run doctor`. */
  warnings?(registry: Registry): readonly string[]
  /** The application is built, nothing listens yet. */
  setup?(app: App): Awaitable<void>
  /** The database is prepared and the port is open: what runs beside requests begins. */
  start?(app: App): Awaitable<void>
  /** Around everything, for every URL; made once, and null where it has nothing to do. */
  middleware?(app: App): Koa.Middleware | null
  /** URLs of a server that are not resources. */
  readonly routes?: (server: Server) => readonly Route[]
  /** Profiles it implements; where a server knows none of them, its query families are unknown too. */
  readonly profiles?: readonly string[]
  readonly extensions?: readonly string[]
  /** The path is one of a server's, whose own middleware comes next; nothing else is looked at: who asks? */
  onRoute?(known: Exchange): Awaitable<void>
  /** The request is understood, nothing is read yet. */
  onRequest?(request: ApiRequest): Awaitable<void>
  /** The query families it owns. A family without an owner is a 400. */
  readonly parameters?: Readonly<Record<string, ReadParameter>>
  /** All parameters are read: defaults and cross-checks. Nothing is loaded, and nothing waited for. */
  onQuery?(reading: QueryContext, query: Query): void
  /** The operations are described and sound, none of them runs yet: once per request, also when it is a batch. */
  beforeOperations?(request: ApiRequest): Awaitable<void>
  /**
   * Whether a hook about one type is called for the type; without this member it is called for every type. Types without
   * such hooks are read and written by the fast path.
   */
  appliesTo?(type: ResourceType, moment: TypeHook): boolean
  /** The rows of a type that exist for this requester, part of every statement; called once per type and operation. */
  scope?(type: ResourceType, context: Context): Awaitable<Condition | undefined>
  /**
   * Whether rows of a type are shown to this requester anywhere but at their own URL: through collections, relations,
   * linkage, filters and counts. Called once per type and operation; anything but true hides all rows.
   */
  showsType?(type: ResourceType, context: Context): Awaitable<boolean>
  /**
   * Which of the rows are shown, in their order. Called for types with `checksEachRow`, which a plugin sets while
   * compiling, for every row that would be rendered or named but the subject of the operation.
   */
  filterRows?(type: ResourceType, rows: readonly Row[], context: Context): Awaitable<readonly boolean[]>
  /** The subject is loaded and in scope, unchanged: may they, and is the answer there already? */
  onSubjectLoaded?(operation: Operation, subject: Row | object | null): Awaitable<ApiResponse | undefined>
  /**
   * The relation gates are passed, nothing is hydrated: validates the input and collects faults. For a type without
   * write hooks the subject is a record of its stored values instead of an entity.
   */
  onValidate?(operation: Operation, input: Input, subject: object | null, faults: Faults): Awaitable<void>
  /**
   * Rows of a type are locked and about to be changed or deleted by the operation of another resource: members that move
   * to or from their parent, the object that holds an attribute declared with `on()`. Throws to refuse. `beforeSave` and
   * `afterCommit` follow for each of them, as for operations of their own.
   */
  onMembers?(type: ResourceType, writes: readonly MemberWrite[]): Awaitable<void>
  /**
   * The members of a relation are found, nothing is changed: rows of another type are about to join or leave a
   * many-to-many. `rows` loads those rows with the `linkNeeds` of the type; `relations` are relations of the type that
   * are the other side of it. Throws to refuse.
   */
  onLink?(
    operation: Operation,
    type: ResourceType,
    rows: () => Promise<readonly Row[]>,
    relations: readonly Relation[],
  ): Awaitable<void>
  /** The entity is changed, not saved. */
  beforeSave?(operation: Operation, entity: object): Awaitable<void>
  /** The entity is saved, not committed; an answer returned here is given instead of showing it. Creates and updates. */
  afterSave?(operation: Operation, entity: object, saved: unknown): Awaitable<ApiResponse | undefined>
  /** The condition a row must meet after this requester has written it; a row outside is a 403, and nothing is saved. */
  writeScope?(type: ResourceType, context: Context): Awaitable<Condition | undefined>
  /** Rows of a type are created or changed and saved, not committed. Throws to refuse. */
  onRowsWritten?(operation: Operation, type: ResourceType, keys: readonly unknown[]): Awaitable<void>
  /** The primary records are there, their relations are not; an answer without data ends the operation. */
  afterRead?(operation: Operation, response: DataResponse): Awaitable<ApiResponse | undefined>
  /** Before a relation is loaded or counted: window, filter, leave parents out. */
  beforeRelationLoad?(load: RelationLoad): Awaitable<void>
  /** After the commit; never after a rollback. What it throws is logged: the write is done, and answered as such. */
  afterCommit?(operation: Operation, response: ApiResponse): Awaitable<ApiResponse | undefined>
  /** The document is built, nothing is sent. */
  onDocument?(request: ApiRequest, document: Document, response: ApiResponse): Awaitable<void>
  /** Status and headers of every answer, errors and 204 included. */
  onResponse?(reply: Reply): void
  /** Turns a throwable into an answer; the first that does wins. */
  onError?(error: unknown, known: Exchange): ErrorResponse | null
  close?(app: App): Awaitable<void>
}

/** Moments at which some plugins have nothing to do for most types; that of a relation is its owner. */
export type TypeHook =
  | 'scope'
  | 'showsType'
  | 'filterRows'
  | 'onSubjectLoaded'
  | 'onMembers'
  | 'onLink'
  | 'beforeSave'
  | 'afterSave'
  | 'writeScope'
  | 'onRowsWritten'
  | 'afterRead'
  | 'beforeRelationLoad'

/** Finds the plugins that implement a hook. The lists are computed once. */
export interface HookLookup {
  hooks(hook: keyof Plugin): readonly Plugin[]
  /** Only the plugins whose hook applies to the resource type. */
  hooksFor(hook: TypeHook, type: ResourceType): readonly Plugin[]
}

/** Reads one query family into the query; what is wrong with it goes to `query.faults`. */
export type ReadParameter = (value: ParamValue, query: Query, reading: QueryContext) => void

/** A URL that is not a resource's. */
export interface Route {
  readonly name: string
  readonly methods: readonly string[]
  /** Under the prefix of the server, with a leading slash; it may have parameters, as in `/albums/:id/cover`. */
  readonly path: string
  /** The path stands by itself, not under the prefix. */
  readonly isAbsolute?: boolean
  /** A JSON:API endpoint: negotiated and parsed, possibly under an extension it demands. */
  readonly jsonapi?: { readonly extension?: string }
  handle(ctx: Koa.Context, request: ApiRequest | null): Awaitable<ApiResponse | undefined>
}

export interface RelationLoad {
  readonly relation: Relation
  readonly query: RelationQuery
  /** The include path that leads here; the relation's name at the first level. */
  readonly path: string
  /** Whether the members go to `included`, or are linkage only. */
  readonly included: boolean
  /** The parents are the primary data. */
  readonly ofPrimary: boolean
  /** The members are the primary data, and the query was read from the URL. */
  readonly primary?: boolean
  readonly context: Context
  parents: readonly Row[]
}

/** What is about to be sent. */
export interface Reply {
  readonly ctx: Koa.Context
  readonly exchange: Exchange
  readonly response: ApiResponse
}
