import type { Cost } from './measure.ts'

/** No request may cost more. */
export const bounds = {
  refusedBytes: 200_000,
  refusedCpu: 200,
  resources: 5_000,
  identifiers: 20_000,
  /** The deadline of a request, and two seconds in which its refusal is sent. */
  wall: 32_000,
}

/** The bounds that a request breaks, a sentence each. */
export function brokenBounds(cost: Cost): string[] {
  const isRefused = cost.status >= 400 && cost.status < 500
  const broken: string[] = []
  if (isRefused && cost.bytes > bounds.refusedBytes) broken.push(`A refusal has ${cost.bytes} bytes.`)
  if (isRefused && cost.cpu > bounds.refusedCpu) broken.push(`A refusal takes ${Math.round(cost.cpu)} ms of CPU time.`)
  if (cost.resources > bounds.resources) broken.push(`The answer has ${cost.resources} resources.`)
  if (cost.identifiers > bounds.identifiers) broken.push(`The answer has ${cost.identifiers} resource identifiers.`)
  if (cost.wall > bounds.wall) broken.push(`The answer takes ${Math.round(cost.wall)} ms.`)
  if (cost.status === 0) broken.push('There is no answer.')
  if (cost.status === 500) broken.push('The answer is a 500.')
  return broken
}
