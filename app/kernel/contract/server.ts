import type Koa from 'koa'
import type { Graph } from '../data/graph.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { LruMap } from '../lib/lru-map.ts'
import type { ShownFields } from '../schema/columns.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Handler } from './operation.ts'
import type { QueryParameter, ReadParameter } from './plugin.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse, Document } from './response.ts'
import type { Plan } from './stages.ts'
import type { PluginRoute, Route } from './target.ts'

/** A server as declared in `app/servers.ts`. Plugins add keys by declaration merging, with `server.` in their `keys`. */
export interface ServerOptions {
  /** A path such as `/admin`; empty by default. */
  readonly prefix?: string
  /** The host name of its requests, without a port; any by default. */
  readonly domain?: string
  /** The base of links. By default, links have the host of the request. */
  readonly baseUri?: string
  /** Links begin with the path, without scheme and host: `/albums/1`. */
  readonly relativeLinks?: boolean
  /** Koa middleware around all routes of the server, such as authentication. */
  readonly middleware?: readonly Koa.Middleware[]
  /** URIs of plugins' profiles, or own profiles, in the order of announcement. By default, all profiles of plugins. */
  readonly profiles?: readonly (string | Profile)[]
  /** Own query families. Their names must have a character that is not a lower-case letter. */
  readonly parameters?: Readonly<Record<string, ReadParameter>>
  /** Wraps or replaces the default handler of operations. Null: the server runs no operations. */
  readonly handler?: ((defaultHandler: Handler) => Handler) | null
  /** Its routes are not registered; the program mounts `app.routes(name)` in its own router. */
  readonly mountManually?: boolean
}

/** A profile that a server brings: https://jsonapi.org/format/1.1/#profiles. Applied if the client requests it. */
export interface Profile {
  readonly uri: string
  /** Query families it defines. They are accepted whether or not the client requests the profile. */
  readonly parameters?: Readonly<Record<string, ReadParameter>>
  /** Runs after the document is built and before it is sent. */
  apply?(document: Document, request: ApiRequest, response: ApiResponse): Awaitable<void>
}

/** A query family of a server. */
export interface ServerParameter {
  readonly read: ReadParameter
  readonly isAccepted: NonNullable<QueryParameter['isAccepted']>
}

/** A compiled server: one prefix, its types, its middleware. */
export interface Server {
  readonly name: string
  readonly prefix: string
  readonly domain: string | null
  readonly baseUri: string
  readonly relativeLinks: boolean
  /** What is declared in `app/servers.ts`, with the keys of plugins. */
  readonly options: ServerOptions
  readonly middleware: Koa.Middleware
  /** Whether it has middleware of its own, which may reject requests. */
  readonly hasMiddleware: boolean
  /** URIs, in the order of announcement. */
  readonly profiles: readonly string[]
  readonly ownProfiles: readonly Profile[]
  /** Query families by name: of plugins whose profiles the server has, and its own. */
  readonly parameters: ReadonlyMap<string, ServerParameter>
  /** Query families whose values are comma lists. */
  readonly listParameters: ReadonlySet<string>
  readonly handler: Handler | null
  /** Whether it declares a handler, which may do more than the operation. */
  readonly hasOwnHandler: boolean
  readonly mountManually: boolean
  readonly types: ReadonlyMap<string, ResourceType>
  readonly typesBySegment: ReadonlyMap<string, ResourceType>
  /** The URLs of plugins, in the order of the plugins. Set after `onCompile`. */
  routes: readonly PluginRoute[]
  /** The compiled serializers, by the fields of a type. */
  readonly serializers: LruMap<ShownFields, CompiledSerializer>
}

/** Writes the resource object of a record. It never loads: a relation that is not in the graph has no linkage. */
export type Serialize = (record: Row) => string

/** Prepares the serialization of the records of a type for one response. */
export type CompiledSerializer = (graph: Graph, request: ApiRequest, steps: Plan['meta']) => Serialize

/** Whether the server offers all target types of a relation. If not, the relation has no data and no related link. */
export function servesTarget(server: Server, relation: Relation): boolean {
  return relation.targets.every((target) => server.types.has(target.name))
}

export function hasRelatedEndpoint(server: Server, relation: Relation): boolean {
  return relation.hidden !== true && relation.hasRelatedEndpoint && servesTarget(server, relation)
}

export function hasRelationshipEndpoint(relation: Relation): boolean {
  return relation.hidden !== true && relation.hasRelationshipEndpoint
}

export function buildRoutePath({ prefix }: Pick<Server, 'prefix'>, { path, isAbsolute }: Route): string {
  return isAbsolute ? path : prefix + path
}
