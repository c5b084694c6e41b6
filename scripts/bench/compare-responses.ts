import type { Contestant } from './measured-service.ts'
import type { WorkItem, WorkRequest } from './work-items.ts'

interface Resource {
  readonly type: string
  readonly id: string
}

/** What two services that write in turn cannot have in common. */
const madeHere = /\/tracks\/\d+|"id":"\d+"|"trackCount":\d+/g

/** What is different in the documents the two services answer with; null when nothing is. */
export async function difference(item: WorkItem, one: Contestant, other: Contestant): Promise<string | null> {
  const [mine, theirs] = await Promise.all([one, other].map((contestant) => answer(item, contestant)))
  return mine === theirs ? null : `${item.name}: ${firstDifference(mine as string, theirs as string)}`
}

async function answer(item: WorkItem, contestant: Contestant): Promise<string> {
  const [request] = (await item.requests(contestant)) as [WorkRequest]
  const response = await send(contestant, request)
  const text = await response.text()
  if (!response.ok) throw new Error(`${contestant.name} answers ${item.name} with ${response.status}: ${text}`)
  const document = JSON.parse(text.replaceAll(contestant.url, ''))
  const comparable = JSON.stringify(same({ ...document, included: sorted(document.included) }))
  return item.reads ? comparable : comparable.replace(madeHere, '')
}

export function send({ url }: Contestant, { method, path, headers = {}, body }: WorkRequest): Promise<Response> {
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
}

/** The order of `included` says nothing. */
function sorted(included: readonly Resource[] = []): readonly Resource[] {
  return included.toSorted((a, b) => (a.type + a.id < b.type + b.id ? -1 : 1))
}

/** Members in an order of their own, so that texts can be compared. */
function same(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(same)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, same(one)]),
  )
}

function firstDifference(mine: string, theirs: string): string {
  const at = [...mine].findIndex((character, index) => character !== theirs[index])
  return `…${mine.slice(Math.max(0, at - 60), at + 60)}… ≠ …${theirs.slice(Math.max(0, at - 60), at + 60)}…`
}
