import type { App, Server } from '#kernel/plugin'
import type { OpenApiDraft, Schema } from '#openapi'
import { closeAttributes } from './attributes.ts'
import { documentOf, emptyDocument } from './documents.ts'
import { headOf, tagsOf } from './head.ts'
import { operationsOf, type PlacedOperation } from './operations.ts'
import type { Decorator, OpenApiDocument, OpenApiOptions } from './options.ts'
import { pathsOf } from './paths.ts'
import { reachable } from './reachable.ts'
import { describeSecurity } from './security.ts'
import { sharedHeaders, sharedSchemas } from './shared.ts'
import { createSketch, type Sketch } from './sketch.ts'

/** Builds the document of a server from its types, then `describe` of each plugin, then the decorators. */
export function buildDocument(app: App, server: Server, options: OpenApiOptions): OpenApiDocument {
  const sketch = createSketch(server)
  for (const [name, schema] of Object.entries(sharedSchemas)) sketch.component(name, () => structuredClone(schema))
  for (const [name, header] of Object.entries(sharedHeaders)) sketch.component(name, () => header, 'headers')
  emptyDocument(sketch)
  for (const type of server.types.values()) documentOf(type, sketch)
  const routes = app.plugins.flatMap((plugin) => plugin.routes?.(server) ?? [])
  const operations = operationsOf(sketch, routes)
  const draft = draftOf(app, server, operations, headOf(server, options), sketch)
  if (options.security) describeSecurity(options.security, draft)
  for (const plugin of app.plugins) plugin.describe?.(draft)
  for (const work of sketch.afterwards.toReversed()) work()
  close(sketch)
  tellMeanings(sketch, options.enumValueDescriptions ?? 'both')
  // A route that no plugin describes is not part of the document.
  const told = operations.filter(({ successes }) => successes.size > 0)
  const paths = pathsOf(told, sketch)
  const head = { ...draft.head, tags: tagsOf(told, options) }
  const document = { ...head, paths, components: reachable({ ...head, paths }, sketch) } as unknown as OpenApiDocument
  return decorate(document, server.name, options.decorators ?? [])
}

function draftOf(
  app: App,
  server: Server,
  operations: readonly PlacedOperation[],
  head: Record<string, unknown>,
  sketch: Sketch,
): OpenApiDraft {
  const { component, refer, nameOf, relationships, linkages, documents } = sketch
  const attributes = sketch.objects.flatMap(({ members }) => members)
  const afterwards = (work: () => void) => void sketch.afterwards.push(work)
  const described = { operations, attributes, relationships, linkages, documents }
  return { app, server, head, ...described, component, refer, nameOf, afterwards }
}

/** Applies the changes of plugins to the schemas. */
function close({ objects, relationships, documents, closings, refer }: Sketch): void {
  for (const object of objects) closeAttributes(object)
  for (const { schema, paged, meta } of relationships) {
    const { links } = schema.properties ?? {}
    const isLinked = typeof links === 'object' && links.properties
    if (paged && isLinked)
      for (const page of pages) links.properties = { ...links.properties, [page]: { type: 'string' } }
    if (Object.keys(meta).length > 0)
      schema.properties = { ...schema.properties, meta: { type: 'object', properties: meta } }
  }
  for (const { schema, meta } of documents) {
    const hasMeta = Object.keys(meta).length > 0
    schema.properties.meta = hasMeta ? { type: 'object', properties: meta, additionalProperties: true } : refer('Meta')
  }
  for (const closing of closings) closing()
}

/** Writes the descriptions of enum values to `description`, to an extension, or to both. */
function tellMeanings({ components }: Sketch, where: NonNullable<OpenApiOptions['enumValueDescriptions']>): void {
  for (const schema of components.schemas.values() as Iterable<Schema>) {
    if (!('x-enum-descriptions' in schema)) continue
    if (where === 'description' || where === 'none') delete schema['x-enum-descriptions']
    if (where === 'extension' || where === 'none') delete schema.description
  }
}

const pages = ['first', 'prev', 'next', 'last']

function decorate(document: OpenApiDocument, serverName: string, decorators: readonly Decorator[]): OpenApiDocument {
  return decorators
    .toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
    .reduce((decorated, decorator) => decorator.decorate(decorated, serverName) ?? decorated, document)
}
