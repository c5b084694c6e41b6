import {
  type DescribedDocument,
  type DescribedOperation,
  Faults,
  type OpenApiDraft,
  type Paginator,
  type Parameter,
  type Schema,
  type Server,
} from '#kernel/plugin'
import { paginationKindUnknown } from './errors.ts'
import { isMenu } from './menu.ts'
import { choosePaginator, paginatorOf, paginatorOfType } from './paginators.ts'

/** `page` is one parameter with members; a menu is one of several sets of them. */
export function describePages(openapi: OpenApiDraft): void {
  const { operations, documents, server, refer } = openapi
  const kinds = new Map<DescribedDocument, Map<string, Schema>>()
  for (const operation of operations) {
    const declared = paginatorAt(operation, server)
    const offered = declared ? offeredOf(declared, server) : []
    const [first] = offered
    if (!declared || !first) continue
    operation.paginator = choosePaginator(declared, {}, { faults: new Faults(0) }, server) ?? first
    operation.parameters.push(parameterOf(declared, offered))
    if (isMenu(declared)) operation.fail(400, paginationKindUnknown.definition)
    const document = documents.find(({ name }) => refer(name).$ref === firstReference(operation))
    if (document) noteMeta(document, offered, kinds, openapi)
  }
  for (const { data, schema } of documents) {
    if (data === 'collection' || data === 'identifiers') {
      schema.properties.links = { ...refer('PaginationLinks'), required: ['self'] }
    }
  }
  for (const [{ meta }, found] of kinds)
    meta.page = found.size > 1 ? { anyOf: [...found.values()] } : ([...found.values()][0] as Schema)
}

function paginatorAt({ kind, type, relation }: DescribedOperation, server: Server): Paginator | null {
  if (kind === 'FetchCollection' && type) return paginatorOfType(type, server)
  if (!relation?.toMany) return null
  const isPaged = kind === 'FetchRelated' || (kind === 'FetchRelationship' && relation.pivotFields.length === 0)
  return isPaged ? paginatorOf(relation, server) : null
}

/** The strategies whose profiles the server knows. */
function offeredOf(paginator: Paginator, { profiles }: Server): Paginator[] {
  const strategies = isMenu(paginator) ? paginator.children : [paginator]
  return strategies.filter(({ profile }) => profile === undefined || profiles.includes(profile))
}

function parameterOf(declared: Paginator, offered: readonly Paginator[]): Parameter {
  const profiles = offered.flatMap(({ profile }) => profile ?? [])
  return {
    name: 'page',
    in: 'query',
    description: 'The part of the collection to send.',
    style: 'deepObject',
    explode: true,
    schema: { ...(isMenu(declared) ? menuSchema(offered) : membersOf(offered[0] as Paginator)), default: {} },
    'x-paginator': declared.kind,
    ...(profiles.length > 0 && { 'x-profile': profiles[0] }),
  }
}

function membersOf({ description }: Paginator): Schema {
  return { type: 'object', properties: { ...description?.parameters } }
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

/** The schema of what is answered; of several, the first. */
function firstReference({ successes }: DescribedOperation): string | undefined {
  const { schema } = successes.get(200) ?? {}
  return schema?.$ref ?? (schema?.anyOf as Schema[] | undefined)?.[0]?.$ref
}

/** Linkage is windowed without telling of its page. */
function noteMeta(
  document: DescribedDocument,
  offered: readonly Paginator[],
  kinds: Map<DescribedDocument, Map<string, Schema>>,
  { component }: OpenApiDraft,
): void {
  if (document.data !== 'collection') return
  const found = kinds.get(document) ?? new Map<string, Schema>()
  kinds.set(document, found)
  for (const { description } of offered) {
    if (!description) continue
    const { name, meta } = description
    found.set(
      name,
      component(`${name}Meta`, () => ({ type: 'object', properties: meta })),
    )
  }
}
