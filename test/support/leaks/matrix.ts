import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { changesOf, type Locked } from './changes.ts'
import { linkEverywhere } from './membership.ts'
import { type Protection, protectedPart } from './protection.ts'
import { type Reply, sendAll, sendOne } from './replies.ts'
import { cascadesOf, placeOf, withoutRows } from './rows.ts'
import { changedTables, readTables, restoreTables, type Tables, withRestoredTables } from './tables.ts'
import type { Hidden, Way } from './way.ts'

/** An application that is served. */
export interface Served {
  readonly app: App
  readonly url: string
}

/** A request by which a rule is broken. */
export interface Finding {
  readonly rule: string
  readonly way: Way
  readonly message: string
}

export const rules = {
  shown: 'a row that cannot be read at its own URL is in no answer',
  dependent: 'no answer depends on a row that cannot be read at its own URL',
  changed: 'a row that cannot be changed at its own URL is unchanged after every write',
  failed: 'no request is answered by a 5xx',
} as const

export interface ReadOptions {
  /** The URL of the row tells that it exists, by a 401 or 403. */
  readonly isDenied?: boolean
  /** Rows are left out after they were read, so that pages may be short. */
  readonly hasShortPages?: boolean
  /** Called without the rows: whether the answers can be compared with those before. */
  readonly isComparable?: () => Promise<boolean>
}

/** Sends the requests with the hidden rows in the database and without them: the answers are the same. */
export async function findLeaks(
  { app, url }: Served,
  hidden: Hidden,
  ways: readonly Way[],
  who: string | null,
  options: ReadOptions = {},
): Promise<Finding[]> {
  const before = await withRestoredTables(app, () => sendAll(url, ways, who))
  const keys = hidden.ids.map((id) => hidden.type.codec.decode(id))
  const after = await withoutRows(app, hidden.type, keys, async () => {
    const isComparable = (await options.isComparable?.()) ?? true
    return isComparable ? sendAll(url, ways, who) : before
  })
  return ways.flatMap((way, index) => leaksIn(way, before[index] as Reply, after[index] as Reply, hidden, options))
}

function leaksIn(way: Way, before: Reply, after: Reply, hidden: Hidden, options: ReadOptions): Finding[] {
  if (way.own && options.isDenied)
    return isDenied(way, before) ? [] : [{ rule: rules.shown, way, message: sent(before) }]
  const shown = [...new Set(mentionsIn(before.text, hidden))]
  if (shown.length > 0) return [{ rule: rules.shown, way, message: `shows ${shown.join(', ')}` }]
  if (options.hasShortPages && (way.path.includes('page[') || [before, after].some(isPaged))) return []
  const difference = differenceOf(before, after)
  return difference ? [{ rule: rules.dependent, way, message: difference }] : []
}

/** Writes at the URL of the row are decided by other abilities than reads. */
function isDenied({ method, bySecurity }: Way, { status }: Reply): boolean {
  return (method !== 'GET' && method !== 'HEAD') || bySecurity === true || status >= 400
}

function sent({ status, text }: Reply): string {
  return `answers ${status} ${text.slice(0, 80)}`
}

function isPaged({ text }: Reply): boolean {
  return /"(?:next|prev|last)":"/.test(text)
}

/** Where two answers begin to differ; null when they do not. */
function differenceOf(before: Reply, after: Reply): string | null {
  const [one, other] = [before, after].map(
    ({ status, headers, text }) => `${status} ${text} ${JSON.stringify(headers)}`,
  )
  if (one === undefined || other === undefined || one === other) return null
  let at = 0
  while (one[at] === other[at]) at++
  const from = Math.max(0, at - 60)
  return `answers ${one.slice(from, at + 60)} with the row, and ${other.slice(from, at + 60)} without it`
}

/** The identifiers of hidden rows in a document; what the request named is not in it as an identifier. */
export function mentionsIn(text: string, { type, ids }: Pick<Hidden, 'type' | 'ids'>): string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type: name, id } = value as { type?: unknown; id?: unknown }
    if (name === type.name && ids.includes(String(id))) found.push(`${name} ${id}`)
    for (const member of Object.values(value)) visit(member)
  }
  if (text.startsWith('{')) visit(JSON.parse(text))
  return found
}

export interface WriteOptions {
  /** The rows do not exist for the requester, so that answers are the same without them. */
  readonly isHidden?: boolean
  readonly choose?: (ways: readonly Way[]) => readonly Way[]
  /** Whether the rows are still locked, after they were made members of some parents. */
  readonly isStillLocked?: () => Promise<boolean>
}

/** Sends every write that could change the rows, each on the same state of the database: they stay as they are. */
export async function findChanges(
  served: Served,
  locked: Locked,
  protection: Protection,
  who: string | null,
  { isHidden = false, choose = (ways) => ways, isStillLocked }: WriteOptions = {},
): Promise<Finding[]> {
  const { app } = served
  return withRestoredTables(app, async () => {
    const memberships = await linkEverywhere(app, locked, isStillLocked)
    const ways = choose(changesOf(app, locked, memberships).filter(({ own }) => !own || protection.row !== 'none'))
    const state = { served, locked, protection, who, base: await readTables(app) }
    // A refused request is looked at one by one only if the tables have changed in the end.
    const { findings, statuses } = await changesAfter(state, ways, ({ status }) => status < 400)
    const changed = changedTables(state.base, await readTables(app))
    if (changed.length === 0 && findings.length === 0) return isHidden ? dependentWrites(state, ways, statuses) : []
    await restoreTables(app, state.base, changed)
    return (await changesAfter(state, ways, () => true)).findings
  })
}

/** The writes whose status tells that a hidden row exists; a conflict with it tells so by its nature. */
async function dependentWrites(state: State, ways: readonly Way[], statuses: readonly number[]): Promise<Finding[]> {
  const { served, locked } = state
  const keys = locked.ids.map((id) => locked.type.codec.decode(id))
  const without = await withoutRows(served.app, locked.type, keys, async () => {
    const base = await readTables(served.app)
    return changesAfter(
      { ...state, base, protection: { row: 'none', links: false } },
      ways,
      ({ status }) => status < 400,
    )
  })
  return ways.flatMap((way, index) => {
    const [before = 0, after = 0] = [statuses[index], without.statuses[index]]
    if (before === after || before === 409) return []
    return [{ rule: rules.dependent, way, message: `answers ${before} with the row, and ${after} without it` }]
  })
}

interface State {
  readonly served: Served
  readonly locked: Locked
  readonly protection: Protection
  readonly who: string | null
  readonly base: Tables
}

/** Compares the tables after each request whose answer is looked at, and restores them. */
async function changesAfter(state: State, ways: readonly Way[], isLookedAt: (reply: Reply) => boolean) {
  const { served, who, base } = state
  const findings: Finding[] = []
  const statuses: number[] = []
  for (const way of ways) {
    const reply = await sendOne(served.url, way, who)
    statuses.push(reply.status)
    if (reply.status >= 500) findings.push({ rule: rules.failed, way, message: sent(reply) })
    if (!isLookedAt(reply)) continue
    const now = await readTables(served.app)
    const changed = changedTables(base, now)
    if (changed.length === 0) continue
    const lost = await lostLines(state, way, now)
    if (lost.length > 0) {
      findings.push({ rule: rules.changed, way, message: `answers ${reply.status} and changes ${lost.join('; ')}` })
    }
    await restoreTables(served.app, base, changed)
  }
  return { findings, statuses }
}

/** The protected lines that a request has changed or removed, and new association rows. */
async function lostLines({ served, locked, protection, base }: State, way: Way, now: Tables): Promise<string[]> {
  const { app } = served
  const { type, ids } = locked
  const deleted = deletedType(app, way)
  const isCascade = deleted !== null && (await cascadesOf(app, deleted)).has((await placeOf(app, type)).table)
  // Association rows go with their parent, and so do rows that the database deletes with it.
  const expected: Protection = deleted ? { row: isCascade ? 'none' : protection.row, links: false } : protection
  const keys = ids.map((id) => type.codec.decode(id))
  const kept = protection.mayVanish ? await existingKeys(app, type, keys, now) : keys
  const part = await protectedPart(app, type, kept, expected)
  const [before, after] = [part(base), part(now)]
  return [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))]
}

/** The type of the resource that a request deletes, when it is not the locked one. */
function deletedType(app: App, { method, path, own }: Way) {
  if (method !== 'DELETE' || own || path.includes('/relationships/')) return null
  const segment = path.split('/').at(-2)
  return [...app.registry.types.values()].find(({ uriType }) => uriType === segment) ?? null
}

async function existingKeys(app: App, type: ResourceType, keys: readonly unknown[], tables: Tables) {
  const { table, column } = await placeOf(app, type)
  const existing = new Set((tables.get(table) ?? []).map((line) => String(JSON.parse(line)[column])))
  return keys.filter((key) => existing.has(String(key)))
}
