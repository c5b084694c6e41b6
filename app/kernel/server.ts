import type Koa from 'koa'
import compose from 'koa-compose'
import type { Relation } from './fields/definition.ts'
import type { Registry } from './registry.ts'
import type { ResourceType } from './resource.ts'

/** As declared in the application's wiring. */
export interface ServerOptions {
  /** '' or '/admin'. */
  readonly prefix?: string
  /** Used verbatim for links; empty means: taken from the request. */
  readonly baseUri?: string
  readonly middleware?: readonly Koa.Middleware[]
  /** Relationship hops an include path may have; 0 or less is unlimited. */
  readonly maxIncludeDepth?: number
}

/** A compiled server: one prefix, its types, its middleware. */
export interface Server {
  readonly name: string
  readonly prefix: string
  readonly baseUri: string
  readonly maxIncludeDepth: number
  readonly middleware: Koa.Middleware
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

export function compileServers(options: Readonly<Record<string, ServerOptions>>, registry: Registry): Server[] {
  return Object.entries(options).map(([name, { prefix = '', baseUri = '', middleware = [], maxIncludeDepth = 0 }]) => {
    const types = [...registry.types.values()].filter((type) => type.servers.includes(name))
    return {
      name,
      prefix,
      baseUri: baseUri.replace(/\/+$/, ''),
      maxIncludeDepth,
      middleware: compose([...middleware]),
      types: new Map(types.map((type) => [type.name, type])),
      typesBySegment: new Map(types.map((type) => [type.uriType, type])),
    }
  })
}
