import type { ResourceType } from '#kernel'
import type { RandomSource } from '#test/conformance/random.ts'
import type { Corpus } from '#test/template/proofs/fuzz/corpus.ts'
import { drawRequest } from '#test/template/proofs/fuzz/requests.ts'
import type { FuzzRequest } from '#test/template/proofs/fuzz/send.ts'
import { drawValidRequest } from './draw-valid.ts'
import { conditions, createdId, currentEtag, keyHeader } from './session.ts'

export interface SequenceRequest extends FuzzRequest {
  readonly body: string | null
}

/** Draws requests that run one after the other, some of them conditional, with an idempotency key, or repeated. */
export function drawSequence(corpus: Corpus, draw: RandomSource, count: number): SequenceRequest[] {
  const known = withCreatedIds(corpus)
  const sequence: SequenceRequest[] = []
  const isOrdered = orderedCreates(corpus)
  while (sequence.length < count) {
    const { method, path, headers, body } = draw.chance(25) ? drawRequest(known, draw) : drawValidRequest(known, draw)
    const request = { method, path, headers: { ...headers, ...drawConditions(method, draw, sequence.length) }, body }
    if (!isOrdered(request)) continue
    sequence.push(request)
    if (draw.chance(5) && isOrdered(request)) sequence.push(request)
  }
  return sequence.slice(0, count)
}

function drawConditions(method: string, draw: RandomSource, number: number): Record<string, string> {
  const headers: Record<string, string> = {}
  const isWrite = method !== 'GET' && method !== 'HEAD'
  if (isWrite && draw.chance(10)) headers[keyHeader] = `key-${draw.chance(80) ? number : draw.below(9)}`
  if (draw.chance(10)) headers[draw.pick(conditions)] = draw.pick([currentEtag, currentEtag, '*', '"other"'])
  return headers
}

/** Adds ids of rows that a sequence creates: the next numbers of a sequence, or the name of a random id. */
function withCreatedIds(corpus: Corpus): Corpus {
  const random = corpus.types.flatMap(({ type }) => (hasRandomIds(type) ? type.name : []))
  const ids = new Map(
    [...corpus.ids].map(([type, known]) => {
      const last = Math.max(...known.map(Number))
      const numbers = Number.isInteger(last) ? [`${last + 1}`, `${last + 2}`] : []
      const created = random.includes(type) ? [createdId(type, 0)] : numbers
      return [type, [known, known, known, created].flat()]
    }),
  )
  return { ...corpus, ids }
}

/**
 * Returns a filter of requests whose effect is the same on all paths. Rows with random ids have no common order, so that
 * a sequence creates at most one of each type; jobs run after the response.
 */
function orderedCreates({ types }: Corpus): (request: SequenceRequest) => boolean {
  const named = new Map(types.map(({ server, type }) => [`${server.prefix}/${type.uriType}`, type]))
  const unordered = types.flatMap(({ type }) => (hasRandomIds(type) ? type.name : []))
  const created = new Set<ResourceType>()
  return ({ method, path, body }) => {
    if (path.includes('/operations')) {
      return !unordered.some((name) => body?.includes(`"${name}"`) || body?.includes(`/${name}"`))
    }
    const type = named.get(path.split('?')[0] as string)
    if (method !== 'POST' || !type) return true
    if (created.has(type) || 'job' in type.declaration) return false
    if (hasRandomIds(type)) created.add(type)
    return true
  }
}

function hasRandomIds({ id }: ResourceType): boolean {
  return id.generate !== null && id.generate !== undefined
}
