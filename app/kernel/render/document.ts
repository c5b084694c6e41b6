import { type ApiRequest, selfUrl } from '../contract/request.ts'
import {
  type ApiResponse,
  type DataResponse,
  type Document,
  type IdentifierResponse,
  listMembers,
} from '../contract/response.ts'
import { hasRelatedEndpoint, type Serialize } from '../contract/server.ts'
import type { Member } from '../data/graph.ts'
import type { PageView } from '../data/query.ts'
import { JsonText, writeList } from '../lib/json-text.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createLinkageWriter } from './identifiers.ts'
import { pageLink } from './page-link.ts'
import { findSerializer } from './resource.ts'

/** Builds the document of a response. Null if the response has no body. */
export function render(request: ApiRequest, response: ApiResponse): Document | null {
  if (response.status === 204) return null
  switch (response.kind) {
    case 'none':
    case 'rendered':
      return null
    case 'error':
      return {
        errors: response.errors,
        ...(response.meta && { meta: { ...response.meta } }),
        jsonapi: describeJsonApi(request, []),
      }
    case 'meta':
      return { links: { self: selfUrl(request.url) }, meta: { ...response.meta }, jsonapi: describeJsonApi(request) }
    case 'document':
      return { ...response.document, links: { self: selfUrl(request.url) }, jsonapi: describeJsonApi(request) }
    case 'identifier':
      return { ...renderLinkage(request, response), jsonapi: describeJsonApi(request) }
    default:
      return renderData(request, response)
  }
}

function describeJsonApi({ media, appliedProfiles, server }: ApiRequest, profiles = server.profiles) {
  const jsonapi: Document['jsonapi'] = { version: '1.1' }
  if (media.extension) jsonapi.ext = [media.extension]
  const profile = appliedProfiles.size > 0 ? profiles.filter((uri) => appliedProfiles.has(uri)) : []
  if (profile.length > 0) jsonapi.profile = profile
  return jsonapi
}

/** Adds the members in the order in which they are sent. */
function renderData(request: ApiRequest, response: DataResponse): Document {
  const { query, context } = response.operation
  const members = listMembers(response)
  const write = createMemberWriter(request, response)
  const document = {} as Document
  const [first] = members
  if (Array.isArray(response.data)) document.data = writeList(members, write)
  else document.data = new JsonText(first ? write(first) : 'null')
  const { graph } = context
  const included = graph.hasIncluded ? graph.included(members) : []
  if (query.includeRequested || included.length > 0) document.included = writeList(included, write)
  const view = response.page ? pageView(request, response) : null
  const links: Record<string, string> = { self: selfUrl(request.url) }
  for (const name in view?.links) links[name] = view.links[name] as string
  document.links = links
  const meta = response.page || response.meta ? buildMeta(response, view) : null
  if (meta) document.meta = meta
  document.jsonapi = describeJsonApi(request)
  return document
}

/** The total of the collection, the meta of the response, and the page. */
function buildMeta(response: DataResponse, view: PageView | null): Record<string, unknown> | null {
  const total = readTotal(response)
  if (total === undefined && !response.meta && !view?.meta) return null
  const meta: Record<string, unknown> = total === undefined ? { ...response.meta } : { total, ...response.meta }
  if (view?.meta) meta.page = view.meta
  return Object.keys(meta).length > 0 ? meta : null
}

export function renderMember(member: Member, request: ApiRequest, response: DataResponse): JsonText {
  return new JsonText(createMemberWriter(request, response)(member))
}

type WriteMember = (member: Member) => string

/**
 * Prepares the serializer of each type once per response. Throws DOCUMENT_TOO_LARGE as soon as the resources have more
 * characters than the document may have. A write may be committed and is not refused: its resources that do not fit have
 * only a type and an id.
 */
function createMemberWriter(request: ApiRequest, response: DataResponse): WriteMember {
  const { query, context, plan } = response.operation
  const { graph, server, budget } = context
  const serializers = new Map<ResourceType, Serialize>()
  let current: ResourceType | null = null
  let serialize: Serialize
  return (member) => {
    const { type, record } = member
    if (budget.characters < 0) return budget.shortenResource(member, response)
    if (type !== current) {
      current = type
      serialize = serializers.get(type) ?? findSerializer(server, type, query)(graph, request, plan.meta)
      serializers.set(type, serialize)
    }
    const text = serialize(record)
    budget.characters -= text.length
    return budget.characters < 0 ? budget.shortenResource(member, response) : text
  }
}

function pageView(request: ApiRequest, { operation: { query }, page }: DataResponse): PageView | null {
  if (!page || !query.paginator || !query.window) return null
  const { base, path, search } = request.url
  return query.paginator.page(page, query.window, query.type, pageLink(base + path, search))
}

/** The total of a collection. Undefined for a page that was not counted. */
function readTotal({ operation: { query }, page, data }: DataResponse): number | undefined {
  if (!page || !Array.isArray(data)) return undefined
  return query.window ? page.total : (page.total ?? data.length)
}

/** Renders the primary data of a relationship document. */
export function renderIdentifiers(response: IdentifierResponse, request: ApiRequest): JsonText {
  const { relation, edge, parent, operation } = response
  const { app, budget } = operation.context
  const text = createLinkageWriter(relation)(edge, parent, request)
  const hasRoom = text.length <= app.documents.maxLinkage || !relation.toMany
  return new JsonText(hasRoom ? text : budget.shortenLinkage(response))
}

function renderLinkage(request: ApiRequest, response: IdentifierResponse): Omit<Document, 'jsonapi'> {
  const { edge, relation, operation } = response
  const { page } = edge
  const { base, path, search } = request.url
  const windowed = page?.paginator.page(page.page, page.window, relation.target, pageLink(base + path, search))
  const total = page ? page.page.total : operation.query.count ? edge.members.length : undefined
  const parentPath = path.slice(0, path.lastIndexOf('/relationships/'))
  const related = hasRelatedEndpoint(operation.context.server, relation) && `${base}${parentPath}/${relation.segment}`
  const meta = { ...(total !== undefined && { total }), ...response.meta }
  return {
    data: renderIdentifiers(response, request),
    links: { self: selfUrl(request.url), ...(related && { related }), ...windowed?.links },
    ...(Object.keys(meta).length > 0 && { meta }),
  }
}
