import { setTimeout } from 'node:timers/promises'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { as } from '#test/support/principals.ts'
import { type Requester, requesters as readers } from '../filters/check-expressions.ts'
import { Follower, keyOf, type Resource } from './follower.ts'
import { drawTransaction, ids } from './rows.ts'
import type { DeniedRows } from './world.ts'

/** The requesters of the leak matrix that are denied no row by reads, but writes. */
const writersOfMatrix: readonly Requester[] = [
  { title: 'a type denied by update', decision: 'by-type', denial: 'update', isAll: true, principal: null },
  { title: 'rows denied by update', decision: 'by-row', denial: 'update', isAll: false, principal: 'restricted' },
  { title: 'rows denied by delete', decision: 'by-row', denial: 'delete', isAll: false, principal: 'restricted' },
  { title: 'rows denied by linkable', decision: 'by-row', denial: 'linkable', isAll: false, principal: 'restricted' },
]

/** All requesters of the leak matrix. The first ones are denied rows that they cannot read. */
export const requesters: readonly Requester[] = [...readers, ...writersOfMatrix]

/** The processes that serve the applications. */
export interface Deployment {
  readonly isServer: boolean
  readonly requesters: readonly Requester[]
  /** The URL of the application of a requester, of any process. */
  urlFor(requester: number): string
  write(statements: readonly string[]): Promise<void>
  deny(denied: DeniedRows): Promise<void>
  /** Kills a process and starts another one. */
  kill?(): Promise<void>
}

export interface LiveRunOptions {
  readonly seed: number
  /** Committed transactions. */
  readonly writes: number
  /** Processes that are killed, one at a time, spread over the writes. */
  readonly kills: number
  /** Whether requesters are denied other rows while streams are open. */
  readonly changesPolicies: boolean
  /** Seconds in which streams must agree with the collection after the last write. */
  readonly patience: number
  readonly onProgress?: (line: string) => void
}

export interface LiveRunResult {
  readonly committed: number
  readonly failed: number
  readonly events: number
  readonly streams: { readonly snapshots: number; readonly resumed: number; readonly refused: number }
  readonly collections: number
  /** Faults in sentences. */
  readonly violations: readonly string[]
}

const where = (expression: string) => `filter[where]=${encodeURIComponent(expression)}`

const paths = [
  '/books',
  '/books?filter[title]=7',
  '/books?include=shelf',
  `/books?${where(`ge(shelf.name, '00000200')`)}`,
  `/shelves?${where(`has(books, ge(title, '00000200'))`)}`,
  '/books/1',
  '/shelves?include=label',
  '/tags',
  '/labels?include=shelf',
  '/lists',
  '/boxes',
  '/loans',
  '/loans?include=book.shelf',
]
const writers = 3

/** Clients follow every collection as every requester while rows change. Compares what they have with the collections. */
export async function runLive(deployment: Deployment, options: LiveRunOptions): Promise<LiveRunResult> {
  const { seed, writes, kills, changesPolicies, patience, onProgress = () => {} } = options
  const { requesters } = deployment
  const draw = createRandomSource(seed)
  const violations: string[] = []
  const denied = requesters.map((requester, index) => drawDenied(requester, index, draw))
  for (const one of denied) await deployment.deny(one)
  const followers = requesters.flatMap((requester, index) =>
    pathsFor(requester).map((path) => createFollower(deployment, requester, path, denied[index] as DeniedRows, draw)),
  )
  const following = followers.map((follower) => follower.follow())

  const counts = { committed: 0, failed: 0 }
  const write = async (index: number) => {
    while (counts.committed < writes) {
      await deployment.write(drawTransaction(draw, deployment.isServer)).then(
        () => counts.committed++,
        () => counts.failed++,
      )
      await setTimeout(draw.below(10))
      if (index > 0) continue
      onProgress(`${counts.committed} transactions`)
      if (!changesPolicies || !draw.chance(3)) continue
      const changed = draw.below(requesters.length)
      denied[changed] = drawDenied(requesters[changed] as Requester, changed, draw, denied[changed])
      await deployment.deny(denied[changed])
    }
  }
  const kill = async () => {
    for (let count = 1; count <= kills; count++) {
      while (counts.committed < (writes * count) / (kills + 1)) await setTimeout(5)
      await deployment.kill?.()
      onProgress(`kill ${count} of ${kills}`)
    }
  }
  await Promise.all([kill(), ...Array.from({ length: writers }, (_, index) => write(index))])

  const end = performance.now() + patience * 1000
  for (const follower of followers) {
    const difference = await findDifference(follower, end)
    if (difference) violations.push(`${follower.options.title}: ${difference}`)
    violations.push(...follower.violations.slice(0, 5).map((text) => `${follower.options.title}: ${text}`))
  }
  for (const follower of followers) follower.close()
  await Promise.all(following)
  const streams = { snapshots: 0, resumed: 0, refused: 0 }
  for (const one of followers)
    for (const kind of ['snapshots', 'resumed', 'refused'] as const) streams[kind] += one.streams[kind]
  const events = followers.reduce((sum, one) => sum + one.events, 0)
  return { ...counts, events, streams, collections: followers.length, violations }
}

function pathsFor({ denial }: Requester): readonly string[] {
  return denial === 'trashed' ? [...paths, '/books?filter[trashed]=with'] : paths
}

/** Denies the reserved row, and others, of the same type as before. A type that is denied as a whole is allowed now and then. */
function drawDenied({ isAll }: Requester, requester: number, draw: RandomSource, before?: DeniedRows): DeniedRows {
  const type = before?.type ?? draw.pick(Object.keys(ids))
  const all = ids[type] as readonly string[]
  const reserved = all.at(-1) as string
  if (isAll) return { requester, type, ids: before && draw.chance(50) ? [] : all }
  return { requester, type, ids: [...all.slice(0, -1).filter(() => draw.chance(40)), reserved] }
}

function createFollower(
  { urlFor }: Deployment,
  { title, principal, denial, isAll }: Requester,
  path: string,
  { requester, type }: DeniedRows,
  draw: RandomSource,
): Follower {
  const reserved = ids[type]?.at(-1)
  const hidesRows = (denial === 'scope' || denial === 'view') && !isAll
  return new Follower({
    title: `${path} as ${title}`,
    path,
    headers: principal ? as(principal) : {},
    url: () => urlFor(requester),
    mayCut: () => draw.chance(4),
    isForeign: (resource) =>
      (hidesRows && resource.type === type && resource.id === reserved) ||
      (principal !== 'unrestricted' && resource.attributes?.secret !== undefined),
  })
}

/** Returns null as soon as the client has what a GET returns, otherwise the difference after the end of the time. */
async function findDifference(follower: Follower, end: number): Promise<string | null> {
  for (; ; await setTimeout(50)) {
    const difference = await compare(follower)
    if (difference === null || performance.now() > end) return difference
  }
}

async function compare({ options, status, rows, included }: Follower): Promise<string | null> {
  const { path, headers, url } = options
  const isOne = /^\/\w+\/\d+$/.test(path)
  const whole = isOne ? path : `${path}${path.includes('?') ? '&' : '?'}page[size]=50`
  const response = await fetch(url() + whole, { headers })
  const document = (await response.json()) as { data?: Resource | Resource[]; included?: Resource[] }
  // A resource that disappears while its stream is open is removed; a new stream is refused with 404.
  const isGone = isOne && response.status === 404
  if (isGone) return status === 404 || rows.size === 0 ? null : 'the client still has a resource that is gone'
  if (response.status !== status) return `GET returns ${response.status}, the stream ${status}`
  if (response.status !== 200) return null
  const data = [document.data ?? []].flat()
  const expected = new Map(data.map((one) => [keyOf(one), one]))
  const missing = [...expected.keys()].filter((key) => !rows.has(key))
  const foreign = [...rows.keys()].filter((key) => !expected.has(key))
  const isStale = (map: ReadonlyMap<string, Resource>, one: Resource) =>
    JSON.stringify(map.get(keyOf(one))) !== JSON.stringify(one)
  const stale = [
    ...data.filter((one) => rows.has(keyOf(one)) && isStale(rows, one)),
    ...(document.included ?? []).filter((one) => isStale(included, one)),
  ]
  if (missing.length + foreign.length + stale.length === 0) return null
  const [first] = stale
  const example =
    first &&
    ` ${JSON.stringify(rows.get(keyOf(first)) ?? included.get(keyOf(first)))} instead of ${JSON.stringify(first)}`
  return `missing ${missing}; foreign ${foreign}; stale ${stale.map(keyOf)}${example ?? ''}`
}
