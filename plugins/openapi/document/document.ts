import type { App, Server } from '#kernel/plugin'
import type { OpenApiDraft, Schema } from '#openapi'
import { createDraftState, type DraftState } from '../draft-state.ts'
import type { Decorator, OpenApiDocument, OpenApiOperations, OpenApiOptions } from '../options.ts'
import { addProperties } from '../schemas/attributes.ts'
import { describeResourceDocument, emptyDocument } from '../schemas/documents.ts'
import { sharedHeaders, sharedSchemas } from '../schemas/shared.ts'
import { flattenPageParameters } from './flat-page-parameters.ts'
import { describeHead, describeTags } from './head.ts'
import { addDeclaredErrors } from './kernel-errors.ts'
import { describeOperations, type PathOperation } from './operations.ts'
import { describeOperationsLazily, describePaths } from './paths.ts'
import { referencedComponents } from './referenced-components.ts'
import { describeAnonymous, describeSecurity } from './security.ts'

export interface ServerDescription {
  /** Writes the document, changed by the decorators. */
  write(): OpenApiDocument
  /** Returns the operations, written when they are read, and all components, without the changes of decorators. */
  readOperations(): OpenApiOperations
}

/**
 * Describes a server by its types, then `describe` of each plugin. A description is checked at boot; writing it takes as long again.
 */
export function describeDocument(app: App, server: Server, options: OpenApiOptions): ServerDescription {
  const state = createDraftState(server)
  for (const [name, schema] of Object.entries(sharedSchemas)) state.component(name, () => structuredClone(schema))
  for (const [name, header] of Object.entries(sharedHeaders)) state.component(name, () => header, 'headers')
  emptyDocument(state)
  for (const type of server.types.values()) describeResourceDocument(type, state)
  const operations = describeOperations(state)
  const draft = createDraft(app, server, operations, describeHead(server, options), state)
  if (options.security) describeSecurity(options.security, draft)
  for (const plugin of app.plugins) plugin.describe?.(draft)
  for (const operation of operations) addDeclaredErrors(operation)
  for (const work of state.afterPlugins.toReversed()) work()
  applyPluginChanges(state)
  writeEnumDescriptions(state, options.enumValueDescriptions ?? 'both')
  // The document omits routes that no plugin describes.
  const described = operations.filter(({ successes }) => successes.size > 0)
  describeAnonymous(described, draft.head)
  if (options.pageParameters === 'flat') flattenPageParameters(described)
  return {
    write: () => writeDocument(described, draft.head, state, options),
    readOperations: () => {
      const paths = describeOperationsLazily(described, state)
      const sections = Object.entries(state.components).map(([name, parts]) => [name, Object.fromEntries(parts)])
      return { paths, components: Object.fromEntries(sections) }
    },
  }
}

function writeDocument(
  described: readonly PathOperation[],
  draftHead: OpenApiDraft['head'],
  state: DraftState,
  options: OpenApiOptions,
): OpenApiDocument {
  const paths = describePaths(described, state)
  const head = { ...draftHead, tags: describeTags(described, options) }
  const document = {
    ...head,
    paths,
    components: referencedComponents({ ...head, paths }, state),
  } as unknown as OpenApiDocument
  return decorate(document, state.server.name, options.decorators ?? [])
}

function createDraft(
  app: App,
  server: Server,
  operations: readonly PathOperation[],
  head: Record<string, unknown>,
  state: DraftState,
): OpenApiDraft {
  const { component, refer, nameOf, resources, relationships, linkages, documents } = state
  const attributes = state.objects.flatMap(({ members }) => members)
  const afterPlugins = (work: () => void) => void state.afterPlugins.push(work)
  const described = { operations, attributes, resources, relationships, linkages, documents }
  return { app, server, head, ...described, component, refer, nameOf, afterPlugins }
}

/** Writes the members that plugins changed or added into the schemas. */
function applyPluginChanges({
  objects,
  resources,
  relationships,
  documents,
  requestCompletions,
  refer,
}: DraftState): void {
  for (const object of objects) addProperties(object)
  for (const { schema, meta } of resources) if (Object.keys(meta).length > 0) addResourceMeta(schema, meta)
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
  for (const complete of requestCompletions) complete()
}

/** Adds members to the described `meta` of a resource, which may be absent or open. */
function addResourceMeta(schema: Schema, meta: Record<string, Schema>): void {
  const declared = schema.properties?.meta
  const described = typeof declared === 'object' && declared.properties ? declared.properties : {}
  const open = {
    type: 'object',
    properties: { ...described, ...meta },
    ...(declared && { additionalProperties: true }),
  }
  schema.properties = { ...schema.properties, meta: open }
}

/** Writes the descriptions of enum values to `description`, to an extension, or to both. */
function writeEnumDescriptions(
  { components }: DraftState,
  where: NonNullable<OpenApiOptions['enumValueDescriptions']>,
): void {
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
