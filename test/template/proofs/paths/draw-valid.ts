import type { Relation, ResourceType } from '#kernel'
import { mediaType } from '#kernel/plugin'
import type { RandomSource } from '#test/conformance/random.ts'
import { atomicMediaType } from '#test/support/batch.ts'
import type { Corpus } from '#test/template/proofs/fuzz/corpus.ts'
import { filterKeys, relationNames, sortKeys } from '#test/template/proofs/fuzz/draw-names.ts'
import { withProfiles } from '#test/template/proofs/fuzz/requests.ts'
import type { Json } from '#test/template/support/corrupt-json.ts'
import type { SequenceRequest } from './draw-sequence.ts'

type ServedType = Corpus['types'][number]

/** Draws a request of declared names and existing values, most of which are valid. */
export function drawValidRequest(corpus: Corpus, draw: RandomSource): SequenceRequest {
  const served = draw.pick(weightedTypes(corpus))
  const { operations } = served.type
  if (!operations.has('Update') || draw.chance(40)) return drawRead(served, corpus, draw)
  return draw.chance(15) ? drawBatch(served, corpus, draw) : drawWrite(served, corpus, draw)
}

/** The readable types, those with relations more often. */
function weightedTypes({ types }: Corpus): ServedType[] {
  const readable = types.filter(({ type: { operations } }) => operations.has('FetchCollection'))
  return readable.flatMap((served) => [served, ...served.type.relations.map(() => served)])
}

function drawRead({ server, type }: ServedType, corpus: Corpus, draw: RandomSource): SequenceRequest {
  const collection = `${server.prefix}/${type.uriType}`
  const headers = { accept: withProfiles, ...drawToken(draw) }
  const read = (path: string) => ({ method: draw.chance(95) ? 'GET' : 'HEAD', path, headers, body: null })
  if (draw.chance(50)) return read(`${collection}${drawParameters(type, null, corpus, draw)}`)
  const resource = `${collection}/${drawId(type.name, corpus, draw)}`
  if (type.relations.length === 0 || draw.chance(50))
    return read(`${resource}${drawParameters(type, 'one', corpus, draw)}`)
  const relation = draw.pick(type.relations)
  if (draw.chance(30)) return read(`${resource}/relationships/${relation.segment}`)
  const kind = relation.toMany ? relation : 'one'
  return read(`${resource}/${relation.segment}${drawParameters(relation.target, kind, corpus, draw)}`)
}

/** Draws none to three parameters. A single resource has only `include` and `fields`. */
function drawParameters(
  type: ResourceType,
  relation: Relation | 'one' | null,
  corpus: Corpus,
  draw: RandomSource,
): string {
  const included = drawInclude(type, draw)
  const parameters = new Map<string, string>()
  if (draw.chance(40) && included) parameters.set('include', included)
  if (draw.chance(25)) parameters.set(`fields[${type.name}]`, several(draw, [...type.fields.keys()].slice(1)))
  if (relation === 'one') return encode(parameters)
  const [sorts, filters] = [sortKeys(type, relation), filterKeys(type, relation)]
  if (draw.chance(40) && sorts.length > 0) parameters.set('sort', (draw.chance(50) ? '-' : '') + several(draw, sorts))
  if (draw.chance(25) && filters.length > 0) {
    const key = draw.pick(filters)
    parameters.set(`filter[${key}]`, drawSample(type, key, corpus, draw))
  }
  if (draw.chance(40)) parameters.set('page[size]', String(1 + draw.below(4)))
  if (draw.chance(20)) parameters.set('page[number]', String(1 + draw.below(3)))
  return encode(parameters)
}

function drawInclude(type: ResourceType, draw: RandomSource): string {
  const names = relationNames(type)
  if (names.length === 0) return ''
  const relation = type.relations[draw.below(names.length)] as Relation
  const rest = draw.chance(40) ? drawInclude(relation.target, draw) : ''
  return rest ? `${relation.name}.${rest}` : relation.name
}

function drawSample(type: ResourceType, name: string, { samples }: Corpus, draw: RandomSource): string {
  const values = samples.get(`${type.name}.${name}`) ?? []
  return String(values.length > 0 ? draw.pick(values) : draw.pick(['1', 'a', 'true']))
}

function drawWrite({ server, type }: ServedType, corpus: Corpus, draw: RandomSource): SequenceRequest {
  const headers = { accept: mediaType, 'content-type': mediaType, ...drawToken(draw) }
  const collection = `${server.prefix}/${type.uriType}`
  const write = (method: string, path: string, data?: Json) => {
    return { method, path, headers, body: data === undefined ? null : JSON.stringify({ data }) }
  }
  if (draw.chance(35)) return write('POST', collection, newResource(type, corpus, draw))
  const id = drawId(type.name, corpus, draw)
  if (draw.chance(12)) return write('DELETE', `${collection}/${id}`)
  if (type.relations.length === 0 || draw.chance(50)) {
    return write('PATCH', `${collection}/${id}`, changedResource(type, id, corpus, draw))
  }
  const relation = draw.pick(type.relations)
  const method = relation.toMany ? draw.pick(['PATCH', 'POST', 'DELETE']) : 'PATCH'
  return write(method, `${collection}/${id}/relationships/${relation.segment}`, drawLinkage(relation, corpus, draw))
}

/** Draws operations of several types on the same server. */
function drawBatch({ server }: ServedType, corpus: Corpus, draw: RandomSource): SequenceRequest {
  const types = [...server.types.values()].filter(({ operations, id }) => operations.has('Update') && !id.generate)
  const operation = (): Json => {
    const type = draw.pick(types)
    const id = drawId(type.name, corpus, draw)
    const relation = draw.chance(30) && type.relations.length > 0 ? draw.pick(type.relations) : null
    if (relation) {
      const ref = { type: type.name, id, relationship: relation.name }
      const op = relation.toMany ? draw.pick(['add', 'update', 'remove']) : 'update'
      return { op, ref, data: drawLinkage(relation, corpus, draw) }
    }
    if (draw.chance(10)) return { op: 'remove', ref: { type: type.name, id } }
    if (draw.chance(50)) return { op: 'update', data: changedResource(type, id, corpus, draw) }
    return { op: 'add', data: newResource(type, corpus, draw) }
  }
  const operations = Array.from({ length: 1 + draw.below(4) }, operation)
  return {
    method: 'POST',
    path: `${server.prefix}/operations`,
    headers: { accept: atomicMediaType, 'content-type': atomicMediaType, ...drawToken(draw) },
    body: JSON.stringify({ 'atomic:operations': operations }),
  }
}

function newResource(type: ResourceType, corpus: Corpus, draw: RandomSource): { [member: string]: Json } {
  const id = type.id.clientId === 'required' ? { id: `made-${draw.below(30)}` } : {}
  const relations = type.relations.filter(({ toMany }) => draw.chance(toMany ? 25 : 70))
  return { type: type.name, ...id, ...drawMembers(type, relations, 'readOnlyOnCreate', 90, corpus, draw) }
}

function changedResource(
  type: ResourceType,
  id: string,
  corpus: Corpus,
  draw: RandomSource,
): { [member: string]: Json } {
  const relations = type.relations.filter(() => draw.chance(20))
  return { type: type.name, id, ...drawMembers(type, relations, 'readOnlyOnUpdate', 40, corpus, draw) }
}

function drawMembers(
  type: ResourceType,
  relations: readonly Relation[],
  rule: 'readOnlyOnCreate' | 'readOnlyOnUpdate',
  percent: number,
  corpus: Corpus,
  draw: RandomSource,
): { [member: string]: Json } {
  const attributes = type.attributes.flatMap(({ name, [rule]: isReadOnly, property }): [string, Json][] => {
    const values = corpus.samples.get(`${type.name}.${name}`) ?? []
    if (isReadOnly || property === null || values.length === 0 || !draw.chance(percent)) return []
    const value = draw.pick(values)
    // A changed text satisfies most constraints, and does not collide with a unique column.
    return [[name, typeof value === 'string' && draw.chance(30) ? value.replace(/[a-z]$/, 'x') : value]]
  })
  const writable = relations.filter(({ [rule]: isReadOnly }) => !isReadOnly)
  const linkage = writable.map((relation) => [relation.name, { data: drawLinkage(relation, corpus, draw) }])
  return { attributes: Object.fromEntries(attributes), relationships: Object.fromEntries(linkage) }
}

function drawLinkage(relation: Relation, corpus: Corpus, draw: RandomSource): Json {
  const identifier = (): Json => {
    const type = draw.pick(relation.targetNames)
    const pivot = Object.fromEntries(relation.pivotFields.map(({ name }) => [name, 1 + draw.below(5)]))
    const meta = relation.pivotFields.length > 0 ? { meta: { pivot } } : {}
    return { type, id: drawId(type, corpus, draw), ...meta }
  }
  if (!relation.toMany) return draw.chance(15) ? null : identifier()
  return Array.from({ length: draw.below(4) }, identifier)
}

function drawId(type: string, { ids }: Corpus, draw: RandomSource): string {
  const known = ids.get(type) ?? []
  return known.length > 0 ? draw.pick(known) : '1'
}

function drawToken(draw: RandomSource): { authorization?: string } {
  const token = draw.pick(['admin', 'admin', 'ada@example.com', null])
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

function several(draw: RandomSource, names: readonly string[]): string {
  const drawn = names.length === 0 ? [] : Array.from({ length: 1 + draw.below(2) }, () => draw.pick(names))
  return [...new Set(drawn)].join()
}

function encode(parameters: ReadonlyMap<string, string>): string {
  const pairs = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
