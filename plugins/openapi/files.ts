import { type App, developmentHints, type Server } from '#kernel/plugin'
import { combine } from './document/combine.ts'
import { buildDocument } from './document/document.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { type PreparedResponse, prepareResponse } from './prepared-response.ts'
import { collectSchemas } from './schemas/json-schemas.ts'
import { pageFiles, preparePage } from './ui/page.ts'

interface OpenApiFile {
  /** The name of its route. */
  readonly name: string
  readonly path: string
  /** The text of links to it. */
  readonly title?: string
  /** The asset of the documentation page. */
  readonly asset?: string
}

/** The files of a server; the default server has the documentation page of all servers. */
export function createFiles(server: Server, options: OpenApiOptions): OpenApiFile[] {
  return [
    ...(server.name === 'default' && options.ui?.enabled !== false ? pageFilesAt(pagePath(options)) : []),
    ...(isDescribed(server, options)
      ? [{ name: 'json', path: documentPath(server, options), title: 'OpenAPI document' }]
      : []),
    { name: 'schemas', path: schemasPath(server), title: 'JSON Schemas' },
  ]
}

function pageFilesAt(path: string): OpenApiFile[] {
  const assets = pageFiles.map((asset) => ({ name: `docs.${asset}`, path: `${path}/${asset}`, asset }))
  return [{ name: 'docs', path, title: 'API documentation' }, ...assets]
}

/** Builds all responses but the assets of the page, by path. */
export function prepareAll(app: App, options: OpenApiOptions): Map<string, PreparedResponse> {
  const documents = app.servers.map((server) => [server, buildDocument(app, server, options)] as const)
  const described = app.servers.filter((server) => isDescribed(server, options))
  const whole = options.mode === 'combined' ? combine(documents) : null
  const page = {
    title: options.info?.title ?? 'JSON:API',
    documents: described.map((server) => ({ name: server.name, url: documentPath(server, options).slice(1) })),
    folder: pagePath(options).split('/').at(-1) as string,
    origins: app.servers.flatMap(({ baseUri }) => (baseUri ? [new URL(baseUri).origin] : [])),
    hints: developmentHints(app),
  }
  return new Map([
    ...documents.map(([server, document]) => file(documentPath(server, options), whole ?? document)),
    ...documents.map(([server, document]) => file(schemasPath(server), collectSchemas(document, server))),
    [pagePath(options), preparePage(page)],
  ])
}

/** The documents of an application, by the name of their server. */
export function describeApp(app: App, options: OpenApiOptions): Map<string, OpenApiDocument> {
  return new Map(app.servers.map((server) => [server.name, describeServer(app, server, options)]))
}

export function describeServer(app: App, server: Server, options: OpenApiOptions = {}): OpenApiDocument {
  return buildDocument(app, server, options)
}

/** The path of the document. Other servers than the default have their name as prefix. */
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

/** A combined document belongs to the default server. */
function isDescribed({ name }: Server, { mode }: OpenApiOptions): boolean {
  return mode !== 'combined' || name === 'default'
}

function file(path: string, content: object): [string, PreparedResponse] {
  return [path, prepareResponse(JSON.stringify(content))]
}
