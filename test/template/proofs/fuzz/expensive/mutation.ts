import type { Relation, ResourceType } from '#kernel'
import type { RandomSource } from '#test/conformance/random.ts'
import type { Corpus } from '../corpus.ts'
import type { Candidate } from './candidate.ts'

/** Makes a candidate larger or otherwise more expensive; returns it unchanged if the mutation does not apply. */
export type Mutation = (candidate: Candidate, tools: Tools) => Candidate

export interface Tools {
  readonly corpus: Corpus
  readonly draw: RandomSource
  /** Another expensive candidate, whose parts may be copied. */
  readonly other: Candidate
}

export interface Endpoint {
  /** The type of the primary data. */
  readonly shown: ResourceType
  readonly type: ResourceType
  readonly relation: Relation | null
}

/** Returns the type and the relation of a path; null if it has neither. */
export function findEndpoint({ path }: Candidate, { types }: Corpus): Endpoint | null {
  const hit = types.find(({ server, type }) => `${path}/`.startsWith(`${server.prefix}/${type.uriType}/`))
  if (!hit) return null
  const { server, type } = hit
  const segments = path.slice(`${server.prefix}/${type.uriType}/`.length).split('/')
  const relation = type.relationsBySegment.get(segments.at(-1) ?? '') ?? null
  return { type, relation, shown: relation?.target ?? type }
}

/** Draws lengths of lists around the limits, and far beyond them. */
export function drawLength(draw: RandomSource): number {
  return draw.pick([2, 9, 10, 49, 50, 99, 100, 199, 200, 999, 1_000, 1_001, 10_000, 50_000])
}
