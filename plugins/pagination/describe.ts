import { getOrCreate, type Relation, type Server } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'
import type { DescribedDocument, DescribedOperation, OpenApiDraft, Parameter, Schema } from '#openapi'
import { cursorMalformed, cursorStale } from './cursor/errors.ts'
import { paginationKindUnknown } from './errors.ts'
import { isMenu } from './menu.ts'
import { defaultPaginator, findPaginator, findPaginatorForType } from './paginators.ts'

/** Adds `page` to paginated operations: one object parameter, or one of several object schemas for a menu. */
export function describePagination(openapi: OpenApiDraft): void {
  const { operations, relationships, documents, server, refer, afterPlugins } = openapi
  const metaSchemas = new Map<DescribedDocument, Map<string, Schema>>()
  for (const operation of operations) {
    const declared = describedPaginator(operation, server)
    if (!declared) continue
    const offered = isMenu(declared) ? declared.children : [declared]
    operation.paginator = defaultPaginator(declared)
    operation.parameters.push(pageParameter(declared, offered, server))
    if (isMenu(declared)) operation.addErrors(400, paginationKindUnknown.definition)
    if (offered.some(({ keyset }) => keyset)) {
      afterPlugins(() => operation.addErrors(400, cursorMalformed.definition, cursorStale.definition))
    }
    const document = documents.find(({ name }) => refer(name).$ref === firstReference(operation))
    if (document) collectMeta(document, offered, metaSchemas, openapi)
  }
  for (const relationship of relationships) {
    if (includesCursorPage(relationship.relation, server)) relationship.paged = true
  }
  for (const { data, schema } of documents) {
    if (data === 'collection' || data === 'identifiers') {
      schema.properties.links = { ...refer('PaginationLinks'), required: ['self'] }
    }
  }
  for (const [{ meta }, schemas] of metaSchemas)
    meta.page = schemas.size > 1 ? { anyOf: [...schemas.values()] } : ([...schemas.values()][0] as Schema)
}

function describedPaginator({ kind, type, relation }: DescribedOperation, server: Server): Paginator | null {
  if (kind === 'FetchCollection' && type) return findPaginatorForType(type, server)
  if (!relation?.toMany) return null
  const isPaged = kind === 'FetchRelated' || (kind === 'FetchRelationship' && relation.pivotFields.length === 0)
  return isPaged ? findPaginator(relation, server) : null
}

function includesCursorPage(relation: Relation, server: Server): boolean {
  return relation.toMany && defaultPaginator(findPaginator(relation, server))?.keyset === true
}

function pageParameter(declared: Paginator, offered: readonly Paginator[], server: Server): Parameter {
  const profiles = offered.flatMap(({ profile }) => profile ?? []).filter((uri) => server.profiles.includes(uri))
  return {
    name: 'page',
    in: 'query',
    description: 'The page of the collection to return.',
    style: 'deepObject',
    explode: true,
    schema: isMenu(declared) ? menuSchema(offered) : strategySchema(offered[0] as Paginator),
    example: findDefaults(offered[0] as Paginator),
    'x-paginator': declared.kind,
    ...(profiles.length > 0 && { 'x-profile': profiles[0] }),
  }
}

function strategySchema({ description }: Paginator): Schema {
  return { type: 'object', properties: { ...description?.parameters } }
}

/** The members of `page` that have a default. */
function findDefaults({ description }: Paginator): Record<string, unknown> {
  const members = Object.entries(description?.parameters ?? {})
  return Object.fromEntries(members.flatMap(([name, schema]) => ('default' in schema ? [[name, schema.default]] : [])))
}

function menuSchema(offered: readonly Paginator[]): Schema {
  return {
    oneOf: offered.map(({ kind, description }) => ({
      type: 'object',
      title: kind,
      properties: { kind: { type: 'string', const: kind }, ...description?.parameters },
      additionalProperties: false,
    })),
    discriminator: { propertyName: 'kind' },
  }
}

/** Returns the component of the 200 response; the first of several. */
function firstReference({ successes }: DescribedOperation): string | undefined {
  const { schema } = successes.get(200) ?? {}
  return schema?.$ref ?? (schema?.anyOf as Schema[] | undefined)?.[0]?.$ref
}

/** Collects the schemas of `meta.page`, which linkage documents do not have. */
function collectMeta(
  document: DescribedDocument,
  offered: readonly Paginator[],
  metaSchemas: Map<DescribedDocument, Map<string, Schema>>,
  { component }: OpenApiDraft,
): void {
  if (document.data !== 'collection') return
  const schemas = getOrCreate(metaSchemas, document, () => new Map<string, Schema>())
  for (const { description } of offered) {
    if (!description) continue
    const { name, meta } = description
    schemas.set(
      name,
      component(`${name}Meta`, () => ({ type: 'object', properties: meta })),
    )
  }
}
