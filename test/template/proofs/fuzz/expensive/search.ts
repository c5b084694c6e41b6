import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { drawRequest } from '../requests.ts'
import type { Service } from '../service.ts'
import { Archive, type Entry, measures } from './archive.ts'
import { brokenBounds } from './bounds.ts'
import { type Candidate, toCandidate, toRequest } from './candidate.ts'
import { initialCandidates } from './initial-candidates.ts'
import { measure, repeat } from './measure.ts'
import { mutate } from './mutate.ts'

export interface SearchOptions {
  readonly seed: number
  readonly requests: number
  readonly milliseconds: number
}

export interface SearchResult {
  readonly archive: Archive
  readonly broken: readonly BoundViolation[]
  readonly sent: number
}

export interface BoundViolation extends Entry {
  readonly sentence: string
}

const kept = 12

/** Sends requests one at a time, keeps the most expensive by each measure and mutates them. */
export async function searchExpensiveRequests(service: Service, options: SearchOptions): Promise<SearchResult> {
  const draw = createRandomSource(options.seed)
  const archive = new Archive(kept)
  const broken: BoundViolation[] = []
  const ends = performance.now() + options.milliseconds
  const suspects = initialCandidates(service.corpus, draw).values()
  let sent = 0
  for (; sent < options.requests && performance.now() < ends; sent++) {
    const candidate = suspects.next().value ?? drawCandidate(service, archive, draw)
    broken.push(...(await tryCandidate(candidate, service, archive)))
  }
  return { archive, broken, sent }
}

/** Returns sometimes a new candidate, and otherwise a mutation of an expensive one. */
function drawCandidate({ corpus }: Service, archive: Archive, draw: RandomSource): Candidate {
  const [base, other] = [pickEntry(archive, draw), pickEntry(archive, draw)]
  if (!base || !other || draw.chance(20)) return toCandidate(drawRequest(corpus, draw))
  return mutate(base.candidate, { corpus, draw, other: other.candidate })
}

function pickEntry(archive: Archive, draw: RandomSource): Entry | undefined {
  const entries = archive.entries(draw.pick(measures))
  return entries.length === 0 ? undefined : draw.pick(entries)
}

/** Measures a candidate, keeps it if it is expensive, and returns the bounds that it exceeds. */
async function tryCandidate(
  candidate: Candidate,
  { send, logged }: Service,
  archive: Archive,
): Promise<BoundViolation[]> {
  const request = toRequest(candidate)
  let cost = await measure(request, send)
  if (brokenBounds(cost).length > 0 || archive.isExpensive(cost)) {
    cost = await repeat(request, cost, send)
    archive.add({ candidate, cost })
  }
  const messages = logged.splice(0).map((line) => `The service logs: ${line}`)
  return [...brokenBounds(cost), ...messages].map((sentence) => ({ candidate, cost, sentence }))
}
