import type { Cost } from './measure.ts'

/** The highest allowed costs of a request. */
export const bounds = {
  refusedBytes: 200_000,
  refusedCpu: 200,
  resources: 5_000,
  identifiers: 20_000,
  /** The deadline of a request, and two seconds in which its error is sent. */
  wall: 32_000,
}

/** Returns a sentence per bound that the request exceeds. */
export function brokenBounds(cost: Cost): string[] {
  const isRefused = cost.status >= 400 && cost.status < 500
  const broken: string[] = []
  if (isRefused && cost.bytes > bounds.refusedBytes) broken.push(`The error response has ${cost.bytes} bytes.`)
  if (isRefused && cost.cpu > bounds.refusedCpu)
    broken.push(`The error response takes ${Math.round(cost.cpu)} ms of CPU time.`)
  if (cost.resources > bounds.resources) broken.push(`The response has ${cost.resources} resources.`)
  if (cost.identifiers > bounds.identifiers) broken.push(`The response has ${cost.identifiers} resource identifiers.`)
  if (cost.wall > bounds.wall) broken.push(`The response takes ${Math.round(cost.wall)} ms.`)
  if (cost.status === 0) broken.push('There is no response.')
  if (cost.status === 500) broken.push('The response is a 500.')
  return broken
}
