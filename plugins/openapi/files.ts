import type { App, Server } from '#kernel/plugin'
import { combine } from './combine.ts'
import { buildDocument } from './document.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { pageFiles, preparePage } from './page.ts'
import { schemasOf } from './schemas.ts'
import { type Prepared, prepare } from './serve.ts'

export interface File {
  /** Of its route. */
  readonly name: string
  readonly path: string
  /** The file of the page that it is. */
  readonly asset?: string
}

/** What is served beside a server; the first has the page of all of them. */
export function filesOf(server: Server, options: OpenApiOptions): File[] {
  const page = pagePath(options)
  const assets = pageFiles.map((asset) => ({ name: `docs.${asset}`, path: `${page}/${asset}`, asset }))
  return [
    ...(isDescribed(server, options) ? [{ name: 'json', path: documentPath(server, options) }] : []),
    { name: 'schemas', path: schemasPath(server) },
    ...(server.name === 'default' && options.ui?.enabled !== false ? [{ name: 'docs', path: page }, ...assets] : []),
  ]
}

/** Everything but the files of the page, made once, by its path. */
export function prepareAll(app: App, options: OpenApiOptions): Map<string, Prepared> {
  const documents = app.servers.map((server) => [server, buildDocument(app, server, options)] as const)
  const described = app.servers.filter((server) => isDescribed(server, options))
  const whole = options.mode === 'combined' ? combine(documents) : null
  const offered = described.map((server) => ({ name: server.name, url: documentPath(server, options).slice(1) }))
  const folder = pagePath(options).split('/').at(-1) as string
  const origins = app.servers.flatMap(({ baseUri }) => (baseUri ? [new URL(baseUri).origin] : []))
  return new Map([
    ...documents.map(([server, document]) => file(documentPath(server, options), whole ?? document)),
    ...documents.map(([server, document]) => file(schemasPath(server), schemasOf(document, server))),
    [pagePath(options), preparePage(options.info?.title ?? 'JSON:API', offered, folder, origins)],
  ])
}

/** The documents of an application, by the name of their server. */
export function describeApp(app: App, options: OpenApiOptions): Map<string, OpenApiDocument> {
  return new Map(app.servers.map((server) => [server.name, buildDocument(app, server, options)]))
}

/** Where the document of a server is: named servers have theirs under their name, whatever their prefix. */
export function documentPath({ name }: Server, { json, mode }: OpenApiOptions): string {
  const path = json?.path ?? '/docs.json'
  return name === 'default' || mode === 'combined' ? path : `/${name}${path}`
}

function schemasPath({ name }: Server): string {
  return name === 'default' ? '/schemas.json' : `/${name}/schemas.json`
}

function pagePath({ ui }: OpenApiOptions): string {
  return ui?.path ?? '/docs'
}

/** One document for all of them is that of the first. */
function isDescribed({ name }: Server, { mode }: OpenApiOptions): boolean {
  return mode !== 'combined' || name === 'default'
}

function file(path: string, content: object): [string, Prepared] {
  return [path, prepare(JSON.stringify(content))]
}
