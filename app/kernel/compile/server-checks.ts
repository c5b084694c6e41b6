import type { DisabledPlugin, Plugin } from '../contract/plugin.ts'
import { buildRoutePath, type Server, type ServerOptions } from '../contract/server.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import { dropMalformed, unknownKey } from '../errors/form-faults.ts'
import { serverForms, serverKeys } from './key-forms.ts'

const namePattern = /^[a-zA-Z][a-zA-Z0-9_-]*$/
const prefixPattern = /^(\/[\w.~-]+)*$/
const hostPattern = /^[a-zA-Z0-9.-]+$|^\[[0-9a-fA-F:.]+\]$/

type Servers = Readonly<Record<string, ServerOptions>>

/** Reports options of servers that are unknown or have another form, and returns the servers without malformed ones. */
export function readServers(
  servers: Servers,
  plugins: readonly DisabledPlugin[],
  fail: (fault: string) => void,
): Servers {
  const forms = { ...serverForms, ...serverKeys(plugins) }
  const accepted = Object.keys(forms)
  const read = Object.entries(servers).map(([name, options]) => {
    const failAt = (member: string, message: string) => fail(`The server '${name}': ${member}: ${message}`)
    const wellFormed = dropMalformed(options, forms, failAt)
    for (const key of Object.keys(options).filter((one) => !accepted.includes(one))) {
      fail(`The server '${name}': ${unknownKey(key, accepted)}`)
    }
    return [name, wellFormed] as const
  })
  return Object.fromEntries(read)
}

/** Checks names, prefixes, hosts, profiles and query parameters of servers. */
export function checkServers(options: Servers, plugins: readonly Plugin[]): string[] {
  const profiles = new Set(plugins.flatMap((plugin) => plugin.profiles ?? []))
  return Object.entries(options).flatMap(([name, server]) =>
    [...optionFaults(name, server), ...profileFaults(server, profiles), ...parameterFaults(server, plugins)].map(
      (fault) => `The server '${name}': ${fault}`,
    ),
  )
}

function optionFaults(name: string, { prefix = '', domain, baseUri = '', relativeLinks }: ServerOptions): string[] {
  const faults: string[] = []
  if (!namePattern.test(name)) faults.push('its name is a part of route names: letters, digits, hyphens.')
  if (!prefixPattern.test(prefix)) faults.push(`the prefix '${prefix}' is not a path like /admin.`)
  if (domain !== undefined && !hostPattern.test(domain)) faults.push(`the domain '${domain}' is not a host name.`)
  if (baseUri && !/^https?:$/.test(URL.parse(baseUri)?.protocol ?? '')) {
    faults.push(`the base URI '${baseUri}' is not an absolute URL.`)
  }
  if (baseUri && relativeLinks) faults.push('it has a base URI, so its links cannot be relative.')
  return faults
}

function profileFaults({ profiles = [] }: ServerOptions, pluginProfiles: ReadonlySet<string>): string[] {
  const uris = profiles.map((profile) => (typeof profile === 'string' ? profile : profile.uri))
  const unknown = profiles.filter((profile) => typeof profile === 'string' && !pluginProfiles.has(profile))
  const repeated = uris.filter((uri, index) => uris.indexOf(uri) !== index)
  const malformed = uris.filter((uri) => !URL.canParse(uri) || /[\s"]/.test(uri))
  return [
    ...unknown.map((uri) => `no plugin has the profile ${uri}.${didYouMean(uri, pluginProfiles)}`),
    ...repeated.map((uri) => `the profile ${uri} is listed twice.`),
    ...malformed.map((uri) => `the profile '${uri}' is not a URI.`),
  ]
}

/** https://jsonapi.org/format/1.1/#query-parameters-custom */
function parameterFaults({ parameters = {}, profiles = [] }: ServerOptions, plugins: readonly Plugin[]): string[] {
  const ownProfiles = profiles.filter((profile) => typeof profile !== 'string')
  const names = [parameters, ...ownProfiles.map((profile) => profile.parameters ?? {})].flatMap(Object.keys)
  return names.flatMap((family, index) => {
    const owner = plugins.find((plugin) => Object.hasOwn(plugin.parameters ?? {}, family))
    if (owner) return [`the query parameter '${family}' is owned by the plugin '${owner.name}'.`]
    if (names.indexOf(family) !== index) return [`the query parameter '${family}' has two owners.`]
    if (!/^[\w-]+$/.test(family)) return [`the query parameter '${family}' is not a legal name.`]
    if (/^[a-z]*$/.test(family)) {
      return [
        `the query parameter '${family}' needs a character besides a to z, because JSON:API reserves all other names.`,
      ]
    }
    return []
  })
}

/** Checks that every URL has one owner. Servers with `mountManually` are skipped: their prefix is unknown. */
export function checkRoutes(servers: readonly Server[]): string[] {
  const faults: string[] = []
  const routed = servers.filter((server) => !server.mountManually)
  for (const [index, server] of routed.entries()) {
    const other = routed
      .slice(0, index)
      .find(({ prefix, domain }) => prefix === server.prefix && domain === server.domain)
    if (other) {
      const at = server.domain === null ? '' : ` at ${server.domain}`
      faults.push(`The servers '${other.name}' and '${server.name}' have the same prefix '${server.prefix}'${at}.`)
    }
    const others = routed.filter((other) => other !== server && mayShareHost(server, other))
    faults.push(...pathFaults(server, others))
  }
  return faults
}

function pathFaults(server: Server, others: readonly Server[]): string[] {
  const taken = new Map<string, string>(
    server.routes.map((route) => [buildRoutePath(server, route), `the plugin '${route.plugin}'`]),
  )
  const types = [...server.types.values()].filter(({ uriType }) => uriType !== '') // reported as an invalid segment
  return types.flatMap((type) => {
    const path = `${server.prefix}/${type.uriType}`
    const conflicting = others.find(({ prefix }) => prefix === path || prefix.startsWith(`${path}/`))
    const owner = taken.get(path) ?? (conflicting && `the server '${conflicting.name}'`)
    taken.set(path, `the type '${type.name}'`)
    return owner ? [`${type.name} (${type.file}): the path ${path} already belongs to ${owner}.`] : []
  })
}

function mayShareHost(a: Server, b: Server): boolean {
  return a.domain === null || b.domain === null || a.domain === b.domain
}
