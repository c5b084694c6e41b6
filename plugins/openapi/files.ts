import { type App, developmentHints, type Server } from '#kernel/plugin'
import { combine } from './document/combine.ts'
import { describeDocument, type ServerDescription } from './document/document.ts'
import type { OpenApiDocument, OpenApiOperations, OpenApiOptions } from './options.ts'
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

/** Responses that are written together, by path. */
type Responses = ReadonlyMap<string, PreparedResponse>
type Described<Document> = readonly (readonly [Server, Document])[]

export interface DescribedFiles {
  /**
   * The functions that write the responses, without the assets of the page, by path. One function writes the document and the
   * JSON Schemas of a server, or of all servers if their documents are combined.
   */
  readonly files: Map<string, () => Responses>
  /** The functions that read the operations of documents, by path; none if documents are combined. */
  readonly operations: Map<string, () => OpenApiOperations>
}

/** Describes all servers. */
export function describeFiles(app: App, options: OpenApiOptions): DescribedFiles {
  const described: Described<ServerDescription> = app.servers.map((server) => [
    server,
    describeDocument(app, server, options),
  ])
  const files = new Map<string, () => Responses>()
  const isCombined = options.mode === 'combined'
  for (const group of isCombined ? [described] : described.map((single) => [single])) {
    const write = () =>
      writeGroup(
        group.map(([server, description]) => [server, description.write()]),
        options,
      )
    for (const [server] of group) files.set(documentPath(server, options), write).set(schemasPath(server), write)
  }
  const page = pagePath(options)
  files.set(page, () => new Map([[page, writePage(app, options)]]))
  const operations = described.map(
    ([server, { readOperations }]) => [documentPath(server, options), readOperations] as const,
  )
  return { files, operations: new Map(isCombined ? [] : operations) }
}

function writeGroup(documents: Described<OpenApiDocument>, options: OpenApiOptions): Responses {
  const isCombined = options.mode === 'combined'
  const served = isCombined ? documents.slice(0, 1).map(([server]) => [server, combine(documents)] as const) : documents
  return new Map([
    ...served.map(([server, document]) => [documentPath(server, options), toResponse(document)] as const),
    ...documents.map(
      ([server, document]) => [schemasPath(server), toResponse(collectSchemas(document, server))] as const,
    ),
  ])
}

function writePage(app: App, options: OpenApiOptions): PreparedResponse {
  const described = app.servers.filter((server) => isDescribed(server, options))
  return preparePage({
    title: options.info?.title ?? 'JSON:API',
    documents: described.map((server) => ({ name: server.name, url: documentPath(server, options).slice(1) })),
    folder: pagePath(options).split('/').at(-1) as string,
    origins: app.servers.flatMap(({ baseUri }) => (baseUri ? [new URL(baseUri).origin] : [])),
    hints: developmentHints(app),
  })
}

/** The documents of an application, by the name of their server. */
export function describeApp(app: App, options: OpenApiOptions): Map<string, OpenApiDocument> {
  return new Map(app.servers.map((server) => [server.name, describeServer(app, server, options)]))
}

export function describeServer(app: App, server: Server, options: OpenApiOptions = {}): OpenApiDocument {
  return describeDocument(app, server, options).write()
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

function toResponse(value: object): PreparedResponse {
  return prepareResponse(JSON.stringify(value))
}
