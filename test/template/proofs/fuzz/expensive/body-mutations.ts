import { atomicMediaType } from '#test/support/batch.ts'
import type { Json } from '#test/template/support/corrupt-json.ts'
import { drawBatch } from '../batches.ts'
import { drawId, drawResource } from '../bodies.ts'
import { drawText } from '../draw-names.ts'
import { bodyText, type Candidate } from './candidate.ts'
import { drawLength, findEndpoint, type Mutation, type Tools } from './mutation.ts'

type Value = (before: Json, tools: Tools) => Json

/** Functions that make one value of a document larger. */
const values: readonly Value[] = [
  (_, { draw }) => drawUnit(draw).repeat(drawLength(draw)) + draw.pick(['', '!', '\n', ' ']),
  (before, { draw }) => Array.from({ length: drawLength(draw) }, () => before),
  (_, { draw }) => Array.from({ length: drawLength(draw) }, (_, at) => at),
  (_, { draw }) => Object.fromEntries(Array.from({ length: drawLength(draw) }, (_, at) => [`member${at}`, at])),
  (before, { draw }) => nest(before, draw.pick([5, 20, 31, 1_000]), draw.chance(50)),
  (_, { draw }) => Number(`1e${draw.pick([15, 300])}`),
  (_, { corpus, draw }) => {
    const { type } = draw.pick(corpus.types)
    return Array.from({ length: drawLength(draw) }, () => ({ type: type.name, id: drawId(type.name, corpus, draw) }))
  },
  (_, { draw }) => Array.from({ length: drawLength(draw) }, (_, at) => ({ type: 'tracks', id: String(1_001 + at) })),
  (_, { draw }) => drawText(draw),
]

export const bodyMutations: readonly Mutation[] = [
  changeValue,
  changeValue,
  changeValue,

  // Another document for the endpoint
  (candidate, { corpus, draw }) => {
    const endpoint = findEndpoint(candidate, corpus)
    if (candidate.body === null || !endpoint) return candidate
    return { ...candidate, body: { data: drawResource(endpoint.type, null, corpus, draw) } }
  },

  // A batch of up to as many operations as are allowed
  ({ headers }, { corpus, draw }) => {
    const { server } = draw.pick(corpus.types)
    const batch = drawBatch(server, corpus, draw) as { 'atomic:operations': Json[] }
    const list = batch['atomic:operations']
    const operations = Array.from({ length: draw.pick([10, 99, 100, 101]) }, (_, at) => list[at % list.length] as Json)
    return {
      method: 'POST',
      path: `${server.prefix}/operations`,
      parameters: [],
      headers: { ...headers, accept: atomicMediaType, 'content-type': atomicMediaType },
      body: { 'atomic:operations': operations },
      gzip: false,
    }
  },

  // Text that is not JSON
  (candidate, { draw }) => {
    if (candidate.body === null) return candidate
    const unit = draw.pick(['[', '{"a":', '[0,', '"', ' ', '\\u0000', '1'])
    return {
      ...candidate,
      body: draw.chance(50) ? unit.repeat(drawLength(draw)) : `${bodyText(candidate.body)}${unit}`,
    }
  },

  (candidate) => ({ ...candidate, gzip: candidate.body !== null && !candidate.gzip }),
]

/** Replaces a value anywhere in the document. */
function changeValue(candidate: Candidate, tools: Tools): Candidate {
  const { draw } = tools
  const make = draw.pick(values)
  const change = (value: Json, depth: number): Json => {
    if (typeof value !== 'object' || value === null || depth > 30 || draw.chance(15)) return make(value, tools)
    const keys = Object.keys(value)
    if (keys.length === 0) return make(value, tools)
    const key = draw.pick(keys)
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as { [member: string]: Json }
    copy[key] = change(copy[key] as Json, depth + 1)
    return copy
  }
  return candidate.body === null ? candidate : { ...candidate, body: change(candidate.body, 0) }
}

/** Texts that are slow in regular expressions and in parsers of dates and addresses. */
function drawUnit(draw: Tools['draw']): string {
  return draw.pick(['a', '0', '-', 'a-', 'a.', '@', '::', '/', ' ', '\n', 'é', '😀', '1.', 'a@', '://a', '%'])
}

function nest(value: Json, depth: number, inArray: boolean): Json {
  let nested = value
  for (let level = 0; level < depth; level++) nested = inArray ? [nested] : { a: nested }
  return nested
}
