import { bodyMutations } from './body-mutations.ts'
import { bodyText, type Candidate, toRequest } from './candidate.ts'
import { headerMutations } from './header-mutations.ts'
import type { Tools } from './mutation.ts'
import { queryMutations } from './query-mutations.ts'

/** Node rejects larger URLs and headers, and the service rejects larger bodies. */
const maxHead = 15_500
const maxBody = 1_048_576

/** Applies up to three mutations; skips a mutation that makes the request too large to be read. */
export function mutate(candidate: Candidate, tools: Tools): Candidate {
  const { draw } = tools
  let mutated = candidate
  for (let count = 1 + draw.below(3); count > 0; count--) {
    const kinds = [queryMutations, queryMutations, headerMutations, ...(mutated.body === null ? [] : [bodyMutations])]
    const next = draw.pick(draw.pick(kinds))(mutated, tools)
    if (isReadable(next)) mutated = next
  }
  return mutated
}

function isReadable(candidate: Candidate): boolean {
  const { path, headers } = toRequest({ ...candidate, body: null })
  const body = candidate.body === null ? '' : bodyText(candidate.body)
  return path.length + JSON.stringify(headers).length <= maxHead && Buffer.byteLength(body) <= maxBody
}
