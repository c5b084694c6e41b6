import type { Json } from '#test/template/support/corrupt-json.ts'
import type { SequenceRequest } from './draw-sequence.ts'

type Requests = readonly SequenceRequest[]

/**
 * Returns a minimal sequence that still fails: removes requests, then headers, query parameters and members of bodies,
 * as long as the rest fails. `maxAttempts` bounds the number of calls.
 */
export async function shrink(
  requests: Requests,
  fails: (candidate: Requests) => Promise<boolean>,
  maxAttempts = 400,
): Promise<Requests> {
  let attempts = 0
  const stillFails = async (candidate: Requests) => ++attempts <= maxAttempts && (await fails(candidate))
  let smallest = await removeRequests(requests, stillFails)
  for (let index = 0; index < smallest.length; index++) {
    let candidates = simplerRequests(smallest[index] as SequenceRequest)
    for (let next = candidates.next(); !next.done; next = candidates.next()) {
      const candidate = smallest.with(index, next.value)
      if (!(await stillFails(candidate))) continue
      smallest = candidate
      candidates = simplerRequests(next.value)
    }
  }
  return smallest
}

/** Removes halves, quarters and so on (delta debugging). */
async function removeRequests(requests: Requests, fails: (candidate: Requests) => Promise<boolean>): Promise<Requests> {
  let kept = requests
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < kept.length && kept.length > 1; ) {
      const candidate = kept.toSpliced(start, size)
      if (candidate.length > 0 && (await fails(candidate))) kept = candidate
      else start += size
    }
  }
  return kept
}

function* simplerRequests(request: SequenceRequest): Generator<SequenceRequest> {
  for (const name of Object.keys(request.headers)) {
    const { [name]: _, ...headers } = request.headers
    yield { ...request, headers }
  }
  const [path = '', query = ''] = request.path.split('?', 2)
  const parameters = query.split('&').filter(Boolean)
  for (const index of parameters.keys()) {
    const rest = parameters.toSpliced(index, 1).join('&')
    yield { ...request, path: rest ? `${path}?${rest}` : path }
  }
  for (const body of simplerBodies(request.body)) yield { ...request, body }
}

function* simplerBodies(body: string | null): Generator<string> {
  if (body === null) return
  let document: Json
  try {
    document = JSON.parse(body)
  } catch {
    return
  }
  for (const simpler of simplerValues(document)) yield JSON.stringify(simpler)
}

/** Removes one member or item at a time, the outer ones first. */
function* simplerValues(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, item] of value.entries())
      for (const simpler of simplerValues(item)) yield value.with(index, simpler)
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      const { [name]: _, ...rest } = value
      yield rest as Json
    }
    for (const [name, member] of Object.entries(value)) {
      for (const simpler of simplerValues(member as Json)) yield { ...value, [name]: simpler } as Json
    }
  }
}
