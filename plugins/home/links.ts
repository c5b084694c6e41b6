import { type ApiRequest, buildRoutePath, type Server } from '#kernel/plugin'

export interface Link {
  readonly title: string
  readonly href: string
}

export interface HomeLinks {
  readonly self: string
  /** The collections of the server, by type. */
  readonly types: readonly Link[]
  /** The routes of plugins that have a title. */
  readonly pages: readonly Link[]
  /** The pages of the other servers. */
  readonly servers: readonly Link[]
}

/** The path of the page: `/`, or the prefix of another server than the default. */
export function pathOfHome({ name, prefix }: Server): string {
  return name === 'default' || prefix === '' ? '/' : prefix
}

/** Removes the prefix of the server from the end of its URL. */
export function buildRoot({ prefix }: Server, url: string): string {
  return url.endsWith(prefix) ? url.slice(0, url.length - prefix.length) : url
}

export function buildHomeLinks({ app, server, url }: ApiRequest): HomeLinks {
  const root = buildRoot(server, url.base)
  const others = app.servers.filter((other) => other !== server && !other.mountManually)
  return {
    self: homeUrl(server, root),
    types: [...server.types.values()]
      .filter(({ operations }) => operations.has('FetchCollection'))
      .map(({ name, uriType }) => ({ title: name, href: `${serverUrl(server, root)}/${uriType}` })),
    pages: titledRoutes(server).map(({ title, path }) => ({ title, href: root + path })),
    servers: others.map((other) => ({ title: other.name, href: homeUrl(other, root) })),
  }
}

function titledRoutes(server: Server): { title: string; path: string }[] {
  return server.routes.flatMap((route) =>
    route.title ? [{ title: route.title, path: buildRoutePath(server, route) }] : [],
  )
}

function homeUrl(server: Server, root: string): string {
  const url = serverUrl(server, root)
  return pathOfHome(server) === '/' ? `${buildRoot(server, url)}/` : url
}

/** The URL of a server without a trailing slash. */
function serverUrl({ baseUri, domain, prefix }: Server, root: string): string {
  return baseUri || (domain === null ? root : withHostname(root, domain)) + prefix
}

/** With relative links the root is empty. */
function withHostname(root: string, hostname: string): string {
  if (root === '') return `//${hostname}`
  return Object.assign(new URL(root), { hostname }).href.replace(/\/$/, '')
}
