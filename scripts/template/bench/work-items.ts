import type { MeasuredService } from './measured-service.ts'

/** One kind of request, sent to all services. */
export interface WorkItem {
  readonly name: string
  /** Minimum throughput relative to the hand-written service. */
  readonly goal: number
  readonly reads: boolean
  /** The requests of one run, sent one after another. */
  requests(service: MeasuredService): Promise<readonly WorkRequest[]>
}

export interface WorkRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

export function read(name: string, goal: number, ...paths: readonly string[]): WorkItem {
  return { name, goal, reads: true, requests: async () => paths.map(get) }
}

export function write(name: string, goal: number, ...requests: readonly WorkRequest[]): WorkItem {
  return { name, goal, reads: false, requests: async () => requests }
}

/** The requests of all items, the same number of each, in a shuffled order that is the same in every run. */
export function mixed(items: readonly WorkItem[], goal: number): WorkItem {
  const share = 40
  return {
    name: 'mixed',
    goal,
    reads: false,
    async requests(service) {
      const all: WorkRequest[] = []
      for (const item of items) {
        const requests = await item.requests(service)
        for (let index = 0; index < share; index++) all.push(requests[index % requests.length] as WorkRequest)
      }
      return shuffle(all)
    },
  }
}

/** Sorts by a multiplicative hash of the position. */
function shuffle(requests: readonly WorkRequest[]): WorkRequest[] {
  const rank = (index: number) => (index * 2_654_435_761) % 4_294_967_296
  const order = [...requests.keys()].sort((a, b) => rank(a) - rank(b))
  return order.map((index) => requests[index] as WorkRequest)
}

export function get(path: string): WorkRequest {
  return { method: 'GET', path }
}

export function post(path: string, body: object): WorkRequest {
  return { method: 'POST', path, headers: { 'content-type': mediaType }, body: JSON.stringify(body) }
}

export function patch(path: string, data: object): WorkRequest {
  return { ...post(path, { data }), method: 'PATCH' }
}

export function atomicBatch(operations: readonly object[]): WorkRequest {
  return {
    method: 'POST',
    path: '/operations',
    headers: { 'content-type': atomicType, accept: atomicType },
    body: JSON.stringify({ 'atomic:operations': operations }),
  }
}

/** The request of the page after a number of `next` links. */
export async function firstPageAfter(
  { url, headers }: MeasuredService,
  path: string,
  steps: number,
): Promise<WorkRequest> {
  let at = path
  for (let step = 0; step < steps; step++) {
    const response = await fetch(url + at, { headers })
    if (!response.ok) throw new Error(`GET ${at} returns ${response.status} at ${url}.`)
    const { links } = (await response.json()) as { links: { next: string } }
    at = links.next.slice(url.length)
  }
  return { ...get(at), headers }
}

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
