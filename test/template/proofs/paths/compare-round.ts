import { type Difference, findDifference, runSequence } from './compare.ts'
import type { SequenceRequest } from './draw-sequence.ts'
import type { PathService } from './service.ts'
import { shrink } from './shrink.ts'

export interface Round {
  readonly requests: readonly SequenceRequest[]
  readonly reference: PathService
  readonly others: readonly PathService[]
}

/** A difference with the smallest sequence of requests that shows it. */
export interface ShrunkDifference extends Difference {
  readonly requests: readonly SequenceRequest[]
}

export interface RoundResult {
  /** The status of each response of the reference. */
  readonly statuses: readonly string[]
  readonly differences: readonly ShrunkDifference[]
}

/** Runs a sequence on all paths at the same time. */
export async function compareRound({ requests, reference, others }: Round): Promise<RoundResult> {
  const [expected, ...actual] = await Promise.all([reference, ...others].map((path) => runSequence(path, requests)))
  if (!expected) throw new Error('The reference has no transcript.')
  const differences: ShrunkDifference[] = []
  for (const [index, path] of others.entries()) {
    const transcript = actual[index]
    const found = transcript && findDifference(path.name, requests, expected, transcript)
    if (found) differences.push(await shrinkDifference(found, requests.slice(0, found.index + 1), reference, path))
  }
  return { statuses: expected.responses.map((text) => text.split('\n', 1)[0] as string), differences }
}

async function shrinkDifference(
  found: Difference,
  requests: readonly SequenceRequest[],
  reference: PathService,
  path: PathService,
): Promise<ShrunkDifference> {
  let smallest = found
  const differs = async (candidate: readonly SequenceRequest[]) => {
    const [expected, actual] = await Promise.all([reference, path].map((service) => runSequence(service, candidate)))
    const difference = expected && actual && findDifference(path.name, candidate, expected, actual)
    if (difference) smallest = difference
    return Boolean(difference)
  }
  const minimal = await shrink(requests, differs)
  return { ...smallest, requests: minimal }
}
