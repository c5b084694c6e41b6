import { type App, type OperationKind, type Plugin, type Registry, type Route, routeName, type Server } from '#kernel'
import { combine } from './combine.ts'
import { buildDocument } from './document.ts'
import { pascalCase } from './names.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { schemasOf } from './schemas.ts'
import { type Prepared, prepare, serve } from './serve.ts'

export type { Decorator, Info, OpenApiDocument, OpenApiOptions, Security } from './options.ts'

declare module '#kernel' {
  interface FieldWords<Entity> {
    /** What the documentation says of it. */
    describedAs(text: string): this
    /** A value as clients may see or send it, for the documentation. */
    example(value: unknown): this
  }
  interface FieldOptions {
    description?: string
    example?: unknown
  }
  interface ResourceWords<Entity> {
    /** The headings under which the documentation lists the operations of the type. */
    readonly tags?: readonly string[]
    /** What the documentation says of its operations: `{ Create: 'Adds an album to the catalogue.' }`. */
    readonly descriptions?: Readonly<Partial<Record<OperationKind, string>>>
    /** The same by a function, which wins; undefined leaves it to the others. */
    readonly describeOperation?: (kind: OperationKind, relation?: string) => string | undefined
  }
}

const words = {
  describedAs: (_: unknown, description: string) => ({ options: { description } }),
  example: (_: unknown, example: unknown) => ({ options: { example } }),
}

/** OpenAPI 3.1 of every server, put together once from the types and from what each plugin says of itself. */
export function openapi(options: OpenApiOptions = {}): Plugin {
  const { enabled = true, describedby = true } = options
  const path = options.json?.path ?? '/docs.json'
  const prepared = new Map<string, Prepared>()
  return {
    name: 'openapi',
    keys: ['tags', 'descriptions', 'describeOperation'],
    modifiers: { attribute: words, relation: words },

    onCompile(registry) {
      checkTags(registry)
      checkNames(registry)
    },

    setup(app) {
      if (!enabled) return
      for (const [name, text] of documentsOf(app, options)) prepared.set(name, prepare(text))
    },

    routes(server) {
      if (!enabled) return []
      const route = (file: string, ...name: readonly string[]): Route => ({
        name: routeName(server, ...name),
        methods: ['GET', 'HEAD'],
        path: placeOf(server, file),
        isAbsolute: true,
        handle: (ctx) => serve(ctx, prepared.get(placeOf(server, file)) as Prepared),
      })
      const isCombined = options.mode === 'combined' && server.name !== 'default'
      return [...(isCombined ? [] : [route(path, 'openapi', 'json')]), route(schemasPath, 'openapi', 'schemas')]
    },

    onDocument({ server, url: { base } }, { links, errors }) {
      if (!enabled || !describedby || !links || errors) return
      const root = base.endsWith(server.prefix) ? base.slice(0, base.length - server.prefix.length) : base
      links.describedby = root + (options.mode === 'combined' ? path : placeOf(server, path))
    },
  }
}

const schemasPath = '/schemas.json'

/** Named servers have theirs under their name, whatever their prefix. */
function placeOf({ name }: Pick<Server, 'name'>, path: string): string {
  return name === 'default' ? path : `/${name}${path}`
}

/** Everything that is served as JSON, by its path. */
function documentsOf(app: App, options: OpenApiOptions): [path: string, text: string][] {
  const { json: { path = '/docs.json' } = {}, mode } = options
  const built = app.servers.map((server) => [server, buildDocument(app, server, options)] as const)
  const documents = mode === 'combined' ? [[{ name: 'default' }, combine(built)] as const] : built
  return [
    ...documents.map(([server, document]) => [placeOf(server, path), JSON.stringify(document)] as [string, string]),
    ...built.map(
      ([server, document]) =>
        [placeOf(server, schemasPath), JSON.stringify(schemasOf(document, server))] as [string, string],
    ),
  ]
}

/** The documents of an application, by the name of their server. */
export function describeApp(app: App, options: OpenApiOptions = {}): Map<string, OpenApiDocument> {
  return new Map(app.servers.map((server) => [server.name, buildDocument(app, server, options)]))
}

function checkTags(registry: Registry): void {
  for (const type of registry.types.values()) {
    const { tags = [] } = type.declaration
    if (tags.some((tag) => tag.trim() === '')) registry.fail(type, 'tags', 'A tag is a text that is not blank.')
    if (new Set(tags).size < tags.length) registry.fail(type, 'tags', 'A tag is listed twice.')
  }
}

/** The schemas of types are found by their names. */
function checkNames(registry: Registry): void {
  const taken = new Map<string, string>()
  for (const type of registry.types.values()) {
    const name = pascalCase(type.name)
    const twin = taken.get(name)
    if (twin) registry.fail(type, null, `In the documentation the type would be called ${name}, as '${twin}' is.`)
    taken.set(name, type.name)
  }
}
