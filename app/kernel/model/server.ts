import type Koa from 'koa'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Document } from './document.ts'
import type { Relation } from './field.ts'
import type { Handler } from './operation.ts'
import type { ReadParameter, Route } from './plugin.ts'
import type { Paginator } from './query.ts'
import type { ApiRequest } from './request.ts'
import type { ResourceType } from './resource-type.ts'
import type { ApiResponse } from './response.ts'

/** As declared in the application's wiring. */
export interface ServerOptions {
  /** '' or '/admin'. */
  readonly prefix?: string
  /** The host it answers at, without a port; any when left out. */
  readonly domain?: string
  /** Used verbatim for links; empty means: taken from the request. */
  readonly baseUri?: string
  /** Around every route of this server: authentication, for example. */
  readonly middleware?: readonly Koa.Middleware[]
  /** The paginator of types that declare none; null for none. That of the plugin when left out. */
  readonly paginator?: Paginator | null
  /** Relationship hops an include path may have; 0 or less is unlimited. */
  readonly maxIncludeDepth?: number
  /** The profiles it knows, in the order they are announced: URIs of plugins' profiles, or its own. All when left out. */
  readonly profiles?: readonly (string | Profile)[]
  /** Query families of its own. Their names have a character that is not a lower-case letter. */
  readonly parameters?: Readonly<Record<string, ReadParameter>>
  /** Answers operations in its own way; `usual` is how they are answered otherwise. Null: it answers none. */
  readonly handler?: ((usual: Handler) => Handler) | null
  /** Its routes are not registered; the program puts `app.routes(name)` into a router of its own. */
  readonly placedByHand?: boolean
}

/** A profile that a server brings: https://jsonapi.org/format/1.1/#profiles. Applied if the client requests it. */
export interface Profile {
  readonly uri: string
  /** Query families it defines. They are accepted whether or not the client requests the profile. */
  readonly parameters?: Readonly<Record<string, ReadParameter>>
  /** Runs after the document is built and before it is sent. */
  apply?(document: Document, request: ApiRequest, response: ApiResponse): Awaitable<void>
}

/** A compiled server: one prefix, its types, its middleware. */
export interface Server {
  readonly name: string
  readonly prefix: string
  readonly domain: string | null
  readonly baseUri: string
  /** Undefined leaves it to the plugin. */
  readonly paginator: Paginator | null | undefined
  readonly maxIncludeDepth: number
  readonly middleware: Koa.Middleware
  /** URIs, in the order they are announced. */
  readonly profiles: readonly string[]
  readonly ownProfiles: readonly Profile[]
  /** Query families by name: those of plugins whose profiles are known here, and its own. */
  readonly parameters: ReadonlyMap<string, ReadParameter>
  readonly handler: Handler | null
  /** Nothing stands around the usual way of answering. */
  readonly isUsual: boolean
  readonly placedByHand: boolean
  readonly types: ReadonlyMap<string, ResourceType>
  readonly typesBySegment: ReadonlyMap<string, ResourceType>
}

/** A relation to a type this server does not offer shows neither data nor a related link. */
export function servesTarget(server: Server, relation: Relation): boolean {
  return relation.targets.every((target) => server.types.has(target.name))
}

export function hasRelatedEndpoint(server: Server, relation: Relation): boolean {
  return relation.hidden !== true && relation.hasRelatedEndpoint && servesTarget(server, relation)
}

export function hasRelationshipEndpoint(relation: Relation): boolean {
  return relation.hidden !== true && relation.hasRelationshipEndpoint
}

/** Where a plugin's own URL stands. */
export function pathOf({ prefix }: Pick<Server, 'prefix'>, { path, isAbsolute }: Route): string {
  return isAbsolute ? path : prefix + path
}
