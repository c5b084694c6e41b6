import type { MeasuredService } from './measured-service.ts'
import type { WorkItem, WorkRequest } from './work-items.ts'

interface Resource {
  readonly type: string
  readonly id: string
}

/** Returns the first difference between the responses of two services; null if they are equal. */
export async function findDifference(
  item: WorkItem,
  a: MeasuredService,
  b: MeasuredService,
  generatedValues: RegExp,
): Promise<string | null> {
  const first = await comparableResponse(item, a, generatedValues)
  const second = await comparableResponse(item, b, generatedValues)
  return first === second ? null : `${item.name}: ${firstDifference(first, second)}`
}

async function comparableResponse(item: WorkItem, service: MeasuredService, generatedValues: RegExp): Promise<string> {
  const [request] = (await item.requests(service)) as [WorkRequest]
  const response = await send(service, request)
  const text = await response.text()
  if (!response.ok) throw new Error(`${service.name} returned ${response.status} for ${item.name}: ${text}`)
  const document = JSON.parse(text.replaceAll(service.url, ''))
  const comparable = JSON.stringify(withSortedMembers({ ...document, included: sortIncluded(document.included) }))
  return item.reads ? comparable : comparable.replace(generatedValues, '')
}

export function send({ url }: MeasuredService, { method, path, headers = {}, body }: WorkRequest): Promise<Response> {
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
}

/** The order of `included` has no meaning. */
function sortIncluded(included: readonly Resource[] = []): readonly Resource[] {
  return included.toSorted((a, b) => (a.type + a.id < b.type + b.id ? -1 : 1))
}

/** Sorts the members of objects, so that their JSON texts can be compared. */
function withSortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, withSortedMembers(member)]),
  )
}

function firstDifference(a: string, b: string): string {
  const at = [...a].findIndex((character, index) => character !== b[index])
  return `…${a.slice(Math.max(0, at - 60), at + 60)}… ≠ …${b.slice(Math.max(0, at - 60), at + 60)}…`
}
