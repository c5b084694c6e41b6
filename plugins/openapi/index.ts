import { type ApiRequest, type App, type OperationKind, type Plugin, type Registry, routeName } from '#kernel/plugin'
import type { Schema } from '#openapi'
import { documentPath, filesOf, prepareAll } from './files.ts'
import { pascalCase } from './names.ts'
import type { OpenApiOptions } from './options.ts'
import { pageFile } from './page.ts'
import { type Prepared, serve } from './serve.ts'

export { describeApp } from './files.ts'
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
    /** The form of values that functions write, which nobody else can tell: `{ name: { type: 'string' } }`. */
    readonly schemas?: Readonly<Record<string, Schema>>
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
  const served = new WeakMap<App, ReadonlyMap<string, Prepared>>()
  return {
    name: 'openapi',
    keys: ['schemas', 'tags', 'descriptions', 'describeOperation'],
    modifiers: { attribute: words, relation: words },

    onCompile(registry) {
      checkSchemas(registry)
      checkTags(registry)
      checkNames(registry)
    },

    setup(app) {
      if (enabled) served.set(app, prepareAll(app, options))
    },

    routes(server) {
      const files = enabled ? filesOf(server, options) : []
      return files.map(({ name, path, asset }) => ({
        name: routeName(server, 'openapi', name),
        methods: ['GET', 'HEAD'],
        path,
        isAbsolute: true,
        handle: (ctx, request) =>
          serve(ctx, asset ? pageFile(asset) : (served.get((request as ApiRequest).app)?.get(path) as Prepared)),
      }))
    },

    onDocument({ server, url: { base } }, { links, errors }) {
      if (!enabled || !describedby || !links || errors) return
      const root = base.endsWith(server.prefix) ? base.slice(0, base.length - server.prefix.length) : base
      links.describedby = root + documentPath(server, options)
    },
  }
}

/** A schema belongs to a value that is written by a function; any other has one of its own. */
function checkSchemas(registry: Registry): void {
  for (const type of registry.types.values()) {
    for (const name of Object.keys(type.declaration.schemas ?? {})) {
      const isWritten = type.attributes.some((attribute) => attribute.name === name && attribute.serialize)
      if (!isWritten) registry.fail(type, 'schemas', `'${name}' is not an attribute that a function writes.`)
    }
  }
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
