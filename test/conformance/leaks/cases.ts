import type { ResourceType } from '#kernel'
import { createRandomSource } from '../random.ts'
import type { LeakRequest } from './leak-request.ts'
import { type Finding, findChanges, findDifference, findLeaks, type ReadOptions, rules } from './matrix.ts'
import type { Protection } from './protection.ts'
import { type Includes, listReads } from './reads.ts'
import { type Reply, sendAll } from './replies.ts'
import type { Denial } from './row-denials.ts'
import { setTrashed } from './rows.ts'
import { hideRows, type LeakRun, lockRows, readCursors } from './run.ts'
import { requestsNaming } from './writes.ts'

/** A kind of denial, and the protection that the denied rows must have. */
interface Case {
  readonly title: string
  readonly denial: Denial
  /** Whether the ability is decided without a row, so that all rows are denied. */
  readonly isAll?: boolean
  readonly principal: string | null
}

export interface ReadCase extends Case {
  readonly options: ReadOptions
}

export interface WriteCase extends Case {
  readonly protection: Protection
}

const unchanged: Protection = { row: 'content', links: true }

/** Cases of a policy that decides without a row, except for `scope`. */
export const readCases: readonly ReadCase[] = [
  { title: `'scope' hides half of`, denial: 'scope', principal: 'restricted', options: {} },
  {
    title: `'view' denies without a row all`,
    denial: 'view',
    isAll: true,
    principal: null,
    options: { isDenied: true },
  },
]

export const writeCases: readonly WriteCase[] = [
  { title: `'scope' hides half of`, denial: 'scope', principal: 'restricted', protection: unchanged },
  { title: `'update' denies without a row all`, denial: 'update', isAll: true, principal: null, protection: unchanged },
]

/** Cases of types with soft deletes, for a principal with every ability. */
export const trashedReads: readonly ReadCase[] = [
  { title: 'a deletion has trashed half of', denial: 'trashed', principal: 'unrestricted', options: {} },
]

export const trashedWrites: readonly WriteCase[] = [
  {
    title: 'a deletion has trashed half of',
    denial: 'trashed',
    principal: 'unrestricted',
    protection: unchanged,
  },
]

/** Cases of a policy that decides per row. */
export const readCasesByRow: readonly ReadCase[] = [
  {
    title: `'view' denies per row half of`,
    denial: 'view',
    principal: 'restricted',
    options: { isDenied: true, hasShortPages: true },
  },
]

export const writeCasesByRow: readonly WriteCase[] = [
  { title: `'update' denies per row half of`, denial: 'update', principal: 'restricted', protection: unchanged },
  {
    title: `'delete' denies per row half of`,
    denial: 'delete',
    principal: 'restricted',
    protection: { row: 'existence', links: false },
  },
  {
    title: `'linkable' denies per row half of`,
    denial: 'linkable',
    principal: 'restricted',
    protection: { row: 'none', links: true },
  },
]

/** Selects the requests that are sent. */
export type Choice = (requests: readonly LeakRequest[]) => readonly LeakRequest[]

/** Selects all requests. */
export const allRequests: Choice = (requests) => requests

/** Selects a percentage of the requests, the same ones in every run. */
export function sample(percent: number, seed: string): Choice {
  const draw = createRandomSource([...seed].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7))
  return (requests) => requests.filter(() => draw.chance(percent))
}

export async function readLeaks(
  run: LeakRun,
  type: ResourceType,
  { denial, isAll, principal, options }: ReadCase,
  includes: Includes,
  choose: Choice = allRequests,
): Promise<Finding[]> {
  const hidden = await hideRows(run, type, denial, isAll)
  const requests = [
    ...listReads(run.app, hidden, includes),
    ...(await readCursors(run, type)),
    ...requestsNaming(run.app, hidden),
  ]
  const chosen = choose(requests)
  const findings = await withWarmPlans(run, chosen, () => findLeaks(run, hidden, chosen, principal, options))
  if (denial === 'trashed') await setTrashed(run.app, type, hidden.ids.map(type.codec.decode), false)
  return findings
}

/**
 * Makes the plans of every other request for a principal that is denied nothing. After `work`, which uses them for another
 * principal, the first one must receive the same responses again.
 */
async function withWarmPlans(
  { url }: LeakRun,
  requests: readonly LeakRequest[],
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const reads = requests.filter(({ method }, index) => method === 'GET' && index % 2 === 0)
  const before = await sendAll(url, reads, 'unrestricted')
  const findings = await work()
  const after = await sendAll(url, reads, 'unrestricted')
  const changed = reads.flatMap((request, index) => {
    const difference = findDifference(before[index] as Reply, after[index] as Reply, ['before', 'after'])
    return difference ? [{ rule: rules.planned, request, message: difference }] : []
  })
  return [...findings, ...changed]
}

export async function unauthorizedChanges(
  run: LeakRun,
  type: ResourceType,
  { denial, isAll, principal, protection }: WriteCase,
  choose: Choice = allRequests,
): Promise<Finding[]> {
  const locked = await lockRows(run, type, denial, isAll)
  if (denial !== 'trashed')
    return findChanges(run, locked, protection, principal, { isHidden: denial === 'scope', choose })
  const afterLinks = () => setTrashed(run.app, type, locked.ids.map(type.codec.decode), true)
  return findChanges(run, locked, protection, principal, { isHidden: true, choose, afterLinks })
}
