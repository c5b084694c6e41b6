import type { Relation, ResourceType } from '#kernel'
import { mediaType } from '#kernel/plugin'
import type { RandomSource } from '#test/conformance/random.ts'
import { atomicMediaType } from '#test/support/batch.ts'
import { isFilterable } from '#test/template/proofs/filters/random-expression.ts'
import type { Json } from '#test/template/support/corrupt-json.ts'
import { drawResource } from '../bodies.ts'
import type { Corpus } from '../corpus.ts'
import { drawPath, filterKeys, relationNames, sortKeys } from '../draw-names.ts'
import { withProfiles } from '../requests.ts'
import type { Candidate } from './candidate.ts'

type ServedType = Corpus['types'][number]

/** Returns the first candidates: requests of every type that use each feature up to the limits. */
export function initialCandidates(corpus: Corpus, draw: RandomSource): Candidate[] {
  return corpus.types.flatMap((served) => [...drawReads(served, draw), ...drawWrites(served, corpus, draw)])
}

function drawReads({ server, type }: ServedType, draw: RandomSource): Candidate[] {
  const path = `${server.prefix}/${type.uriType}`
  const largest = ['page[size]', '50'] as const
  const paths = [...new Set(Array.from({ length: 50 }, () => drawPath(type, draw)))]
  const keys = filterKeys(type, null)
  const read = (...parameters: [string, string][]) => toRead(path, [largest, ...parameters])
  return [
    read(['include', relationNames(type).join()], ['withCount', relationNames(type).join()]),
    ...paths.map((include) => read(['include', include])),
    read(['sort', sortKeys(type, null).join()], ['page[number]', '4000']),
    ...keys.map((key) => read([`filter[${key}]`, 'a e i o u n r s t l'])),
    ...keys.map((key) => read([`filter[${key}]`, `${'a'.repeat(1_000)} `.repeat(10)])),
    ...expressionsOn(type).map((expression) =>
      read(['filter[where]', expression], ['sort', sortKeys(type, null).join()]),
    ),
  ]
}

/** Expressions with as many terms as are accepted, over relations and parts of texts. */
function expressionsOn(type: ResourceType): string[] {
  const part = ({ attributes }: ResourceType, index: number) => {
    const text = attributes.filter((field) => field.kind === 'string' && isFilterable(field))[0]
    return text && `contains(${text.name},'${'aeiou'[index % 5]}${index}')`
  }
  const paths = type.relations
    .filter(isFilterable)
    .flatMap((first) => [[first], ...first.target.relations.filter(isFilterable).map((second) => [first, second])])
  const own = part(type, 0) ? [Array.from({ length: 50 }, (_, index) => part(type, index))] : []
  const nested = paths.map((path) =>
    Array.from({ length: Math.floor(50 / (path.length + 1)) }, (_, index) => {
      const inner = part((path.at(-1) as Relation).target, index)
      return path.reduceRight((text, { name }) => `has(${text === '' ? name : `${name},${text}`})`, inner ?? '')
    }),
  )
  return [...own, ...nested].flatMap((parts) => [`or(${parts.join()})`, `not(or(${parts.join()}))`])
}

function toRead(path: string, parameters: Candidate['parameters']): Candidate {
  const headers = { accept: withProfiles, authorization: 'Bearer admin' }
  return { method: 'GET', path, parameters, headers, body: null, gzip: false }
}

function drawWrites({ server, type }: ServedType, corpus: Corpus, draw: RandomSource): Candidate[] {
  const path = `${server.prefix}/${type.uriType}`
  const [id] = corpus.ids.get(type.name) ?? []
  const write = (method: string, path: string, data: Json) => toWrite(method, path, data)
  const linkages = type.relations.map(({ segment, targetNames: [target] }) => {
    const members = Array.from({ length: 1_000 }, (_, at) => ({ type: target as string, id: String(1_001 + at) }))
    return write('PATCH', `${path}/${id}/relationships/${segment}`, members)
  })
  const created = drawResource(type, null, corpus, draw)
  const resources = [write('POST', path, created), toBatch(server.prefix, { op: 'add', data: created })]
  if (id === undefined) return resources
  return [...resources, write('PATCH', `${path}/${id}`, drawResource(type, id, corpus, draw)), ...linkages]
}

function toWrite(method: string, path: string, data: Json): Candidate {
  const headers = { accept: mediaType, 'content-type': mediaType, authorization: 'Bearer admin' }
  return { method, path, parameters: [], headers, body: { data }, gzip: false }
}

function toBatch(prefix: string, operation: Json): Candidate {
  const headers = { accept: atomicMediaType, 'content-type': atomicMediaType, authorization: 'Bearer admin' }
  const body = { 'atomic:operations': Array.from({ length: 100 }, () => operation) }
  return { method: 'POST', path: `${prefix}/operations`, parameters: [], headers, body, gzip: false }
}
