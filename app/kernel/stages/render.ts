import type { Document } from '../document.ts'
import type { Member } from '../graph.ts'
import { JsonText } from '../json-text.ts'
import { pageLink } from '../page-link.ts'
import type { PageView } from '../query.ts'
import { remember } from '../remember.ts'
import { type Serialize, serializerOf } from '../render.ts'
import { linkageWriterOf } from '../render-identifiers.ts'
import { type ApiRequest, selfUrl } from '../request.ts'
import type { ResourceType } from '../resource.ts'
import type { ApiResponse, DataResponse, IdentifierResponse } from '../response.ts'
import { membersOf } from '../response.ts'
import { hasRelatedEndpoint } from '../server.ts'

/** Builds the document of an answer; null when the answer has no body. */
export function render(request: ApiRequest, response: ApiResponse): Document | null {
  const { url, media } = request
  if (response.status === 204) return null
  const jsonapi = describeJsonApi(request)
  switch (response.kind) {
    case 'none':
      return null
    case 'error':
      return {
        errors: response.errors,
        jsonapi: media.extension ? { version: '1.1', ext: [media.extension] } : { version: '1.1' },
      }
    case 'meta':
      return { links: { self: selfUrl(url) }, meta: { ...response.meta }, jsonapi }
    case 'document':
      return { ...response.document, links: { self: selfUrl(url) }, jsonapi }
    case 'identifier':
      return { ...renderLinkage(request, response), jsonapi }
    default:
      return { ...renderData(request, response), jsonapi }
  }
}

function describeJsonApi({ server, media, appliedProfiles }: ApiRequest): Document['jsonapi'] {
  const profile = server.profiles.filter((uri) => appliedProfiles.has(uri))
  return {
    version: '1.1',
    ...(media.extension && { ext: [media.extension] }),
    ...(profile.length > 0 && { profile }),
  }
}

function renderData(request: ApiRequest, response: DataResponse): Omit<Document, 'jsonapi'> {
  const { query, context } = response.operation
  const members = membersOf(response)
  const write = writerOf(request, response)
  const included = context.graph.included(members)
  const view = pageView(request, response)
  const meta = { ...totalOf(response), ...response.meta, ...(view?.meta && { page: view.meta }) }
  return {
    data: new JsonText(Array.isArray(response.data) ? `[${write(members)}]` : write(members) || 'null'),
    ...((query.includeRequested || included.length > 0) && {
      included: new JsonText(`[${write(included)}]`),
    }),
    links: { self: selfUrl(request.url), ...view?.links },
    ...(Object.keys(meta).length > 0 && { meta }),
  }
}

/** A resource object as one answer shows it. */
export function renderMember(member: Member, request: ApiRequest, response: DataResponse): JsonText {
  return new JsonText(writerOf(request, response)([member]))
}

/** Resource objects side by side; each type is opened once. */
function writerOf(
  request: ApiRequest,
  { operation: { query, context } }: DataResponse,
): (members: readonly Member[]) => string {
  const { graph, server } = context
  const opened = new Map<ResourceType, Serialize>()
  const open = (type: ResourceType) =>
    remember(opened, type, () => serializerOf(server, type, query.fields)(graph, request))
  return (members) => {
    let text = ''
    for (const { type, record } of members) text += (text && ',') + open(type)(record)
    return text
  }
}

function pageView(request: ApiRequest, { operation: { query }, page }: DataResponse): PageView | null {
  if (!page || !query.paginator || !query.window) return null
  const { base, path, search } = request.url
  return query.paginator.page(page, query.window, query.type, pageLink(base + path, search))
}

/** A collection that is read whole knows its size; a page only when it was counted. */
function totalOf({ operation: { query }, page, data }: DataResponse): { total?: number } {
  if (!page || !Array.isArray(data)) return {}
  const total = query.window ? page.total : (page.total ?? data.length)
  return total === undefined ? {} : { total }
}

/** Identifiers, and the links of the relationship they belong to. */
function renderLinkage(request: ApiRequest, response: IdentifierResponse): Omit<Document, 'jsonapi'> {
  const { edge, relation, operation } = response
  const { base, path, search } = request.url
  const windowed = edge.page?.paginator.page(
    edge.page.page,
    edge.page.window,
    relation.target,
    pageLink(base + path, search),
  )
  const total = edge.page ? edge.page.page.total : operation.query.count ? edge.members.length : undefined
  const parentPath = path.slice(0, path.lastIndexOf('/relationships/'))
  const related = hasRelatedEndpoint(operation.context.server, relation) && `${base}${parentPath}/${relation.segment}`
  return {
    data: new JsonText(linkageWriterOf(relation)(edge, response.parent, request)),
    links: { self: selfUrl(request.url), ...(related && { related }), ...windowed?.links },
    ...(total !== undefined && { meta: { total } }),
  }
}
