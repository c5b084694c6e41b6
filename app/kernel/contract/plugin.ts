import type Joi from 'joi'
import type Koa from 'koa'
import type { Query } from '../data/query.ts'
import type { ParamValue } from '../data/query-parameters.ts'
import type { ErrorDefinition } from '../errors/errors.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Modifiers } from '../schema/field.ts'
import type { Registry, ResourceType } from '../schema/resource-type.ts'
import type { App } from './app.ts'
import type { AppConfig } from './app-config.ts'
import type { Exchange, QueryContext } from './request.ts'
import type { ErrorResponse } from './response.ts'
import type { Server } from './server.ts'
import type { PlanBuilder, TypePlanBuilder } from './stages.ts'
import type { Route } from './target.ts'

/**
 * A feature: one folder in plugins/, one line in app/plugins.ts. Every hook is called for the plugins in the order of that
 * list, except `close`: in the reverse order. Its state is a member that it adds to `App`, `Server` or `ResourceType` by
 * declaration merging, because one plugin may serve several apps.
 */
export interface Plugin extends PluginDefinition, BootHooks, PlanHooks, RequestHooks {}

/** What a plugin adds to the application. Read at boot; `npm run pipeline` lists it. */
export interface PluginDefinition {
  /** The name of its folder. */
  readonly name: string
  /** Plugins that must precede this one in the list. */
  readonly requires?: readonly string[]
  /** Environment variables, read and validated if the plugin is enabled; see `app.config.variables`. */
  readonly environment?: Joi.SchemaMap
  readonly errors?: readonly ErrorDefinition[]
  /** Modifiers it adds to fields and relations. */
  readonly modifiers?: Modifiers
  /**
   * Keys it adds to resource declarations, and to servers (`server.paginator`), with the forms of their values: a value of
   * another form is a boot error. Null is any.
   */
  readonly keys?: Readonly<Record<string, Joi.Schema | null>>
  /** Reads the query families it owns. A family without an owner is a 400. */
  readonly parameters?: Readonly<Record<string, ReadParameter | QueryParameter>>
  /** URIs of profiles it implements. A server that has none of them does not accept its query families. */
  readonly profiles?: readonly string[]
  readonly extensions?: readonly string[]
  /** Returns the URLs of a server that are not resources. Called once per server, between `onCompile` and `setup`. */
  readonly routes?: (server: Server) => readonly Route[]
  /**
   * Migrations of the store by name, such as `20260101000000_keys`. They run together with those of the resources, ordered by
   * name, and are recorded as `<plugin>/<name>`. Those of a disabled plugin do not run.
   */
  readonly migrations?: Readonly<Record<string, new (...args: never[]) => object>>
  /**
   * Returns the keys and modifiers of a type that must not be ignored. Called only if the plugin is disabled: the
   * application does not start if a type has any. A plugin exports the function from `needed-by.ts` in its folder, so that
   * it is also called if the plugin is not in the list.
   */
  readonly neededBy?: (type: ResourceType, registry: Registry) => readonly Need[]
  /** Measures requests and the steps of all plugins. */
  readonly observer?: Observer
}

/** A plugin that is disabled, or has a folder but is not in the list. */
export type DisabledPlugin = Pick<Plugin, 'name' | 'neededBy' | 'modifiers' | 'keys'>

/** Called once per application, except `supervise`. */
export interface BootHooks {
  /** Runs in the process that starts the workers, which has no application; not called if there is one process. */
  supervise?(variables: AppConfig['variables']): Awaitable<void>
  /**
   * Runs after all declarations are read, valid or not: reports faults with `registry.fail`, and probable mistakes with
   * `registry.warn`. May return a function that runs after `onCompile` of all plugins.
   */
  onCompile?(registry: Registry, servers: readonly Server[]): (() => void) | undefined
  /** Runs after the application is built and valid, before the port is open. The database may be empty. */
  setup?(app: App): Awaitable<void>
  /** Runs after `setup` of all plugins. Returns Koa middleware for every URL, or null for none. */
  middleware?(app: App): Koa.Middleware | null
  /** Runs after the database is migrated and the port is open: starts background work. */
  start?(app: App): Awaitable<void>
  /** Runs after the last request is finished, in the reverse order of the list. */
  close?(app: App): Awaitable<void>
}

export interface PlanHooks {
  /** Runs once per resource type when all declarations are valid: adds steps to the stages in which it has work to do. */
  planType?(builder: TypePlanBuilder): void
  /**
   * Runs when an endpoint is first requested with a set of profiles, with `query: null`, and again for each shape of a query:
   * adds steps to the stages in which it has work to do.
   */
  plan?(builder: PlanBuilder): void
}

/** Called for each request or operation, in this order. An operation of a program begins at `onQuery`. */
export interface RequestHooks {
  /** Runs after the URL is matched, before the middleware of the server: authentication. Throws to reject. */
  onRoute?(exchange: Exchange): Awaitable<void>
  /**
   * Runs after all query parameters are read, before anything is loaded: sets defaults, adds to `query.faults`. Once for all
   * requests with the same query string, unless it reads `queryContext.request`.
   */
  onQuery?(queryContext: QueryContext, query: Query): void
  /** Runs after an error is thrown anywhere above. The first plugin that returns a response handles the error. */
  onError?(error: unknown, exchange: Exchange): ErrorResponse | null
}

/**
 * A query family. With `list` in place of `read`, its values are comma lists: the lists of a repeated name are joined.
 * `isAccepted`: whether an endpoint accepts it, so that the error about an unknown name lists it; default: every endpoint.
 */
export type QueryParameter = ({ readonly read: ReadParameter } | { readonly list: ReadParameter }) & {
  isAccepted?(queryContext: QueryContext, query: Query): boolean
}

/** Reads one query family into the query; adds faults to `query.faults`. */
export type ReadParameter = (value: ParamValue, query: Query, queryContext: QueryContext) => void

/** Measures requests, for tracing and profiling. */
export interface Observer {
  /** Runs around a part of a request, or of the operation of a program. Must call `work` once and return its result. */
  around?<T>(app: App, part: RequestPart, work: () => Promise<T>): Promise<T>
  /** Called when a plan is made. Returns the step, or a function that calls it: the same function for the same step. */
  step?<Step extends (...args: never[]) => unknown>(step: Step, source: StepSource): Step
}

/** A part of a request that is not a step. */
export interface RequestPart {
  readonly name: 'read body' | 'run operations' | 'write response'
  /** The operations of the request. Only the part 'run operations' has them. */
  readonly operations?: readonly ObservedOperation[]
}

/** The part of an operation that describes it. */
interface ObservedOperation {
  readonly kind: string
  readonly target: { readonly type: { readonly name: string } }
}

/** The plugin that has added a step, and the stage or hook that calls it. */
export interface StepSource {
  readonly plugin: string
  readonly stage: string
}

/** A declaration that has another meaning without a plugin. */
export interface Need {
  /** The key or the field of the type. */
  readonly member: string
  /** The key or the modifiers, such as `required(), maxLength()`. */
  readonly ignored: string
}
