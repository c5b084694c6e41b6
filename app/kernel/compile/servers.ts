import compose from 'koa-compose'
import type { Handler } from '../contract/operation.ts'
import type { Plugin, QueryParameter, ReadParameter } from '../contract/plugin.ts'
import type { Server, ServerOptions, ServerParameter } from '../contract/server.ts'
import type { PluginRoute } from '../contract/target.ts'
import { LruMap } from '../lib/lru-map.ts'
import type { Registry } from '../schema/resource-type.ts'

interface ServerParts {
  readonly registry: Registry
  readonly plugins: readonly Plugin[]
  /** The handler of operations for servers that declare none. */
  readonly defaultHandler: Handler
}

export function compileServers(options: Readonly<Record<string, ServerOptions>>, parts: ServerParts): Server[] {
  return Object.entries(options).map(([name, declared]) => compileServer(name, declared, parts))
}

/** Returns the URLs that plugins add to a server. */
export function listPluginRoutes(server: Server, plugins: readonly Plugin[]): PluginRoute[] {
  return plugins.flatMap((plugin) =>
    (plugin.routes?.(server) ?? []).map((route) => ({ ...route, plugin: plugin.name })),
  )
}

function compileServer(
  name: string,
  declared: ServerOptions,
  { registry, plugins, defaultHandler }: ServerParts,
): Server {
  const { prefix = '', domain = null, baseUri = '', middleware = [], handler } = declared
  const types = [...registry.types.values()].filter((type) => type.servers.includes(name))
  const listed = declared.profiles ?? plugins.flatMap((plugin) => plugin.profiles ?? [])
  const profiles = listed.map((profile) => (typeof profile === 'string' ? profile : profile.uri))
  const ownProfiles = listed.filter((profile) => typeof profile !== 'string')
  const isEnabled = (plugin: Plugin) => !plugin.profiles || plugin.profiles.some((uri) => profiles.includes(uri))
  const owners = [...plugins.filter(isEnabled), ...ownProfiles, declared]
  return {
    name,
    prefix,
    domain: domain?.toLowerCase() ?? null,
    baseUri: baseUri.replace(/\/+$/, ''),
    relativeLinks: declared.relativeLinks ?? false,
    options: declared,
    middleware: compose([...middleware]),
    hasMiddleware: middleware.length > 0,
    profiles,
    ownProfiles,
    parameters: new Map(owners.flatMap(({ parameters = {} }) => Object.entries(parameters).map(toParameter))),
    listParameters: new Set(
      plugins.flatMap(({ parameters = {} }) => Object.keys(parameters).filter((name) => isList(parameters[name]))),
    ),
    handler: handler === null ? null : (handler?.(defaultHandler) ?? defaultHandler),
    hasOwnHandler: handler !== undefined,
    mountManually: declared.mountManually ?? false,
    types: new Map(types.map((type) => [type.name, type])),
    typesBySegment: new Map(types.map((type) => [type.uriType, type])),
    routes: [],
    serializers: new LruMap(),
  }
}

type Parameter = ReadParameter | QueryParameter

function toParameter([name, parameter]: [string, Parameter]): [string, ServerParameter] {
  const isAccepted = () => true
  if (typeof parameter === 'function') return [name, { read: parameter, isAccepted }]
  return [name, { isAccepted, ...parameter, read: 'list' in parameter ? parameter.list : parameter.read }]
}

function isList(parameter: Parameter | undefined): boolean {
  return typeof parameter === 'object' && 'list' in parameter
}
