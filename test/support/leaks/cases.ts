import type { ResourceType } from '#kernel'
import { createDraw } from '../../specification/random.ts'
import type { Denial } from './blindfold.ts'
import { type Finding, findChanges, findLeaks, type ReadOptions } from './matrix.ts'
import type { Protection } from './protection.ts'
import { type Includes, readsOf } from './reads.ts'
import { cursorsOf, hideRows, type LeakRun, lockRows } from './run.ts'
import type { Way } from './way.ts'
import { namingsOf } from './writes.ts'

/** A way to deny rows, and what must hold of the denied ones. */
interface Case {
  readonly title: string
  readonly denial: Denial
  /** The ability is decided without a row, so that all rows are denied. */
  readonly isAll?: boolean
  readonly who: string | null
}

export interface ReadCase extends Case {
  readonly options: ReadOptions
}

export interface WriteCase extends Case {
  readonly protection: Protection
}

const unchanged: Protection = { row: 'content', links: true }

/** Of a policy that decides without a row, except for `scope`. */
export const readCases: readonly ReadCase[] = [
  { title: `'scope' leaves out half of`, denial: 'scope', who: 'blind', options: {} },
  { title: `'view' denies, without a row, all`, denial: 'view', isAll: true, who: null, options: { isDenied: true } },
]

export const writeCases: readonly WriteCase[] = [
  { title: `'scope' leaves out half of`, denial: 'scope', who: 'blind', protection: unchanged },
  { title: `'update' denies, without a row, all`, denial: 'update', isAll: true, who: null, protection: unchanged },
]

/** Of a policy that decides row by row. */
export const readCasesByRow: readonly ReadCase[] = [
  {
    title: `'view' denies, row by row, half of`,
    denial: 'view',
    who: 'blind',
    options: { isDenied: true, hasShortPages: true },
  },
]

export const writeCasesByRow: readonly WriteCase[] = [
  { title: `'update' denies, row by row, half of`, denial: 'update', who: 'blind', protection: unchanged },
  {
    title: `'delete' denies, row by row, half of`,
    denial: 'delete',
    who: 'blind',
    protection: { row: 'existence', links: false },
  },
  {
    title: `'linkable' denies, row by row, half of`,
    denial: 'linkable',
    who: 'blind',
    protection: { row: 'none', links: true },
  },
]

/** Which of the ways are tried. */
export type Choice = (ways: readonly Way[]) => readonly Way[]

/** All of them. */
export const whole: Choice = (ways) => ways

/** So many of a hundred, the same in every run. */
export function sample(percent: number, seed: string): Choice {
  const draw = createDraw([...seed].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7))
  return (ways) => ways.filter(() => draw.chance(percent))
}

export async function readLeaks(
  run: LeakRun,
  type: ResourceType,
  { denial, isAll, who, options }: ReadCase,
  includes: Includes,
  choose: Choice = whole,
): Promise<Finding[]> {
  const hidden = await hideRows(run, type, denial, isAll)
  const ways = [...readsOf(run.app, hidden, includes), ...(await cursorsOf(run, type)), ...namingsOf(run.app, hidden)]
  return findLeaks(run, hidden, choose(ways), who, options)
}

export async function unauthorizedChanges(
  run: LeakRun,
  type: ResourceType,
  { denial, isAll, who, protection }: WriteCase,
  choose: Choice = whole,
): Promise<Finding[]> {
  const locked = await lockRows(run, type, denial, isAll)
  return findChanges(run, locked, protection, who, { isHidden: denial === 'scope', choose })
}
