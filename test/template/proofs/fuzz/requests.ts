import type { Relation, ResourceType } from '#kernel'
import { mediaType, type Server } from '#kernel/plugin'
import { relationshipQueriesProfileUri } from '#plugins/relationship-queries/index.ts'
import type { RandomSource } from '#test/conformance/random.ts'
import { atomicMediaType } from '#test/support/batch.ts'
import { cursorUri } from '#test/template/specification/support.ts'
import { drawBatch } from './batches.ts'
import { drawBody, drawId, drawLinkage, drawResource } from './bodies.ts'
import { type Corpus, tokens } from './corpus.ts'
import { drawName, drawText } from './draw-names.ts'
import { drawQuery, encode } from './query.ts'
import type { FuzzRequest } from './send.ts'

export interface DrawnRequest extends FuzzRequest {
  readonly body: string | null
  /** Whether the URL is certainly one of a resource, so that the response must be a document. */
  readonly isResourceUrl: boolean
}

export function drawRequest(corpus: Corpus, draw: RandomSource): DrawnRequest {
  if (draw.chance(10)) return drawBatchRequest(corpus, draw)
  const { server, type } = draw.pick(corpus.types)
  const target = drawTarget(server, type, corpus, draw)
  const method = drawMethod(target, draw)
  const query = method === 'GET' || draw.chance(25) ? drawQuery(type, target.relation, corpus, draw) : ''
  const broken = draw.chance(3)
  return {
    method,
    path: broken ? breakPath(target.path, draw) + query : target.path + query,
    headers: drawHeaders(mediaType, hasBody(method), draw),
    body: hasBody(method) ? drawBody(documentFor(target, method, corpus, draw), draw) : null,
    isResourceUrl:
      !broken && !(target.id !== null && type.id.urlFormat && !type.id.urlFormat.test(target.id)) && target.id !== '',
  }
}

interface RequestTarget {
  readonly path: string
  readonly type: ResourceType
  readonly id: string | null
  readonly relation: Relation | null
  readonly isLinkage: boolean
}

function drawTarget(server: Server, type: ResourceType, corpus: Corpus, draw: RandomSource): RequestTarget {
  const collection = `${server.prefix}/${type.uriType}`
  if (draw.chance(35)) return { path: collection, type, id: null, relation: null, isLinkage: false }
  const id = drawId(type.name, corpus, draw)
  const resource = `${collection}/${encode(id, draw)}`
  if (type.relations.length === 0 || draw.chance(45)) {
    return { path: resource, type, id, relation: null, isLinkage: false }
  }
  const segment = drawName(
    type.relations.map((candidate) => candidate.segment),
    draw,
  )
  const relation = type.relationsBySegment.get(segment) ?? null
  const isLinkage = draw.chance(60)
  const path = `${resource}/${isLinkage ? 'relationships/' : ''}${encode(segment, draw)}`
  return { path, type, id: segment === '' ? '' : id, relation, isLinkage }
}

function drawMethod({ type: { operations }, id, isLinkage, relation }: RequestTarget, draw: RandomSource): string {
  if (draw.chance(5)) return draw.pick(['HEAD', 'OPTIONS', 'PUT', 'TRACE', 'PROPFIND', 'PATCH', 'DELETE', 'POST'])
  if (draw.chance(45) || (relation && !isLinkage)) return 'GET'
  if (isLinkage)
    return operations.has('Update') ? draw.pick(['PATCH', relation?.toMany ? 'POST' : 'PATCH', 'DELETE']) : 'GET'
  if (id === null) return operations.has('Create') ? 'POST' : 'GET'
  return operations.has('Update') ? draw.pick(['PATCH', 'PATCH', 'PATCH', 'DELETE']) : 'GET'
}

function hasBody(method: string): boolean {
  return ['POST', 'PATCH', 'DELETE', 'PUT'].includes(method)
}

function documentFor(
  { type, id, relation, isLinkage }: RequestTarget,
  method: string,
  corpus: Corpus,
  draw: RandomSource,
) {
  if (isLinkage && relation) return { data: drawLinkage(relation, corpus, draw) }
  const sendsId = method === 'POST' && (type.id.clientId === 'required' || draw.chance(15))
  return {
    data: drawResource(type, method === 'PATCH' ? id : sendsId ? drawId(type.name, corpus, draw) : null, corpus, draw),
  }
}

function drawBatchRequest(corpus: Corpus, draw: RandomSource): DrawnRequest {
  const server = draw.pick([...new Set(corpus.types.map((type) => type.server))])
  return {
    method: draw.chance(97) ? 'POST' : 'GET',
    path: `${server.prefix}/operations${draw.chance(5) ? `?include=${encode(drawText(draw), draw)}` : ''}`,
    headers: drawHeaders(atomicMediaType, true, draw),
    body: drawBody(drawBatch(server, corpus, draw), draw),
    isResourceUrl: true,
  }
}

function drawHeaders(type: string, hasBody: boolean, draw: RandomSource): Record<string, string> {
  const accept = type === mediaType && draw.chance(50) ? withProfiles : type
  const headers: Record<string, string> = { accept, ...(hasBody && { 'content-type': type }) }
  if (draw.chance(75)) headers.authorization = `Bearer ${draw.chance(95) ? draw.pick(tokens) : headerText(draw)}`
  if (draw.chance(6)) headers[draw.pick(oddHeaders)] = draw.pick([...mediaTypes, headerText(draw)])
  if (draw.chance(4)) headers.accept = draw.pick(mediaTypes)
  if (draw.chance(10)) headers['accept-language'] = draw.pick(['de', 'de-AT,en;q=0.1', '*', 'xx', headerText(draw)])
  return headers
}

export const withProfiles = `${mediaType}; profile="${relationshipQueriesProfileUri} ${cursorUri}"`
const mediaTypes = [
  '*/*',
  'application/*',
  'text/html',
  'application/json',
  `${mediaType};charset=utf-8`,
  withProfiles,
  `${mediaType}; ext="https://example.com/ext"`,
  `${mediaType}; ext=`,
  `${mediaType};;;`,
  atomicMediaType,
  '"',
  ',,,',
  'a/b;q=2',
]
const oddHeaders = [
  'accept',
  'content-type',
  'authorization',
  'content-encoding',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'range',
  'prefer',
  'origin',
  'host',
  'cookie',
]

/** Draws text that a header may contain. */
function headerText(draw: RandomSource): string {
  return drawText(draw)
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, 1_000)
}

function breakPath(path: string, draw: RandomSource): string {
  const at = draw.below(path.length)
  return draw.pick([
    `${path}/`,
    `/${path}`,
    `${path.slice(0, at)}/${path.slice(at)}`,
    path.slice(0, at) || '/',
    `${path}%`,
    `${path}%2F..%2F..`,
    path.toUpperCase(),
    `http://example.com${path}`,
    `/${encodeURIComponent(drawText(draw))}`,
    '*',
  ])
}
