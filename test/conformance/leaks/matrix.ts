import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { type LockedRows, listChanges } from './changes.ts'
import type { HiddenRows, LeakRequest } from './leak-request.ts'
import { linkEverywhere } from './membership.ts'
import { type Protection, protectedPart } from './protection.ts'
import { type Reply, sendAll, sendOne } from './replies.ts'
import { findCascades, withoutRows } from './rows.ts'
import { readTableKey } from './table-key.ts'
import { changedTables, isView, readTables, restoreTables, type Tables, withRestoredTables } from './tables.ts'

/** An application that listens. */
export interface Served {
  readonly app: App
  readonly url: string
}

/** A request that breaks a rule. */
export interface Finding {
  readonly rule: string
  readonly request: LeakRequest
  readonly message: string
}

export const rules = {
  shown: 'a row that cannot be read at its own URL is in no response',
  dependent: 'no response depends on a row that cannot be read at its own URL',
  changed: 'a row that cannot be changed at its own URL is unchanged after every write',
  planned: 'a principal receives the same response before and after the request of another principal',
  failed: 'no response has a 5xx status',
} as const

export interface ReadOptions {
  /** The URL of the row reveals that it exists, by a 401 or 403. */
  readonly isDenied?: boolean
  /** Rows are removed after they were read, so that pages may be short. */
  readonly hasShortPages?: boolean
  /** Called while the rows are deleted: whether the responses can be compared with the earlier ones. */
  readonly isComparable?: () => Promise<boolean>
}

/**
 * Sends the requests with the hidden rows in the database and without them, and reports different responses. Rows of a view
 * are not deleted: only their absence from responses is checked.
 */
export async function findLeaks(
  { app, url }: Served,
  hidden: HiddenRows,
  requests: readonly LeakRequest[],
  principal: string | null,
  options: ReadOptions = {},
): Promise<Finding[]> {
  // The deletion of a denied row, which another ability may allow, deletes rows that other requests name.
  const [last, first] = [requests.filter(isOwnWrite), requests.filter((request) => !isOwnWrite(request))]
  const send = async () => [...(await sendAll(url, first, principal)), ...(await sendAll(url, last, principal))]
  const before = await withRestoredTables(app, send)
  const keys = hidden.ids.map((id) => hidden.type.codec.decode(id))
  const withoutHidden = async () => (((await options.isComparable?.()) ?? true) ? send() : before)
  const after = (await isView(app, hidden.type)) ? before : await withoutRows(app, hidden.type, keys, withoutHidden)
  return [...first, ...last].flatMap((request, index) =>
    leaksIn(request, before[index] as Reply, after[index] as Reply, hidden, options),
  )
}

function isOwnWrite({ method, isOwnUrl }: LeakRequest): boolean {
  return isOwnUrl === true && method !== 'GET' && method !== 'HEAD'
}

function leaksIn(
  request: LeakRequest,
  before: Reply,
  after: Reply,
  hidden: HiddenRows,
  options: ReadOptions,
): Finding[] {
  if (request.isOwnUrl && options.isDenied)
    return isDenied(request, before) ? [] : [{ rule: rules.shown, request, message: sent(before) }]
  const shown = [...new Set(mentionsIn(before.text, hidden))]
  if (shown.length > 0) return [{ rule: rules.shown, request, message: `shows ${shown.join(', ')}` }]
  if (request.showsWrites) return []
  if (options.hasShortPages && (request.path.includes('page[') || [before, after].some(isPaged))) return []
  const difference = findDifference(before, after)
  return difference ? [{ rule: rules.dependent, request, message: difference }] : []
}

/** Writes at the URL of the row are decided by other abilities than reads. */
function isDenied({ method, isDecidedByRelation }: LeakRequest, { status }: Reply): boolean {
  return (method !== 'GET' && method !== 'HEAD') || isDecidedByRelation === true || status >= 400
}

function sent({ status, text }: Reply): string {
  return `returns ${status} ${text.slice(0, 80)}`
}

function isPaged({ text }: Reply): boolean {
  return /"(?:next|prev|last)":"/.test(text)
}

/** Returns the position where two responses begin to differ; null when they are equal. */
export function findDifference(
  before: Reply,
  after: Reply,
  [first, second] = ['with the row', 'without it'],
): string | null {
  const [withRow, withoutRow] = [before, after].map(
    ({ status, headers, text }) => `${status} ${text} ${JSON.stringify(headers)}`,
  )
  if (withRow === undefined || withoutRow === undefined || withRow === withoutRow) return null
  let at = 0
  while (withRow[at] === withoutRow[at]) at++
  const from = Math.max(0, at - 60)
  return `returns ${withRow.slice(from, at + 60)} ${first}, and ${withoutRow.slice(from, at + 60)} ${second}`
}

/** Returns the identifiers of hidden rows in a document. */
export function mentionsIn(text: string, { type, ids }: Pick<HiddenRows, 'type' | 'ids'>): string[] {
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
  /** The rows do not exist for the caller, so that responses are the same without them. */
  readonly isHidden?: boolean
  readonly choose?: (requests: readonly LeakRequest[]) => readonly LeakRequest[]
  /** Called after the rows became members of some parents. */
  readonly afterLinks?: () => Promise<void>
  /** Whether the rows are still locked after they became members of some parents. */
  readonly isStillLocked?: () => Promise<boolean>
}

/**
 * Sends every write that could change the rows, each on the same database state, and reports changes. No request changes
 * rows of a view.
 */
export async function findChanges(
  served: Served,
  locked: LockedRows,
  protection: Protection,
  principal: string | null,
  { isHidden = false, choose = (requests) => requests, afterLinks, isStillLocked }: WriteOptions = {},
): Promise<Finding[]> {
  const { app } = served
  if (await isView(app, locked.type)) return []
  return withRestoredTables(app, async () => {
    const memberships = await linkEverywhere(app, locked, isStillLocked)
    await afterLinks?.()
    const requests = choose(
      listChanges(app, locked, memberships).filter(({ isOwnUrl }) => !isOwnUrl || protection.row !== 'none'),
    )
    const state = { served, locked, protection, principal, base: await readTables(app) }
    // Checks each rejected request only if the tables have changed at the end.
    const { findings, statuses } = await changesAfter(state, requests, ({ status }) => status < 400)
    const changed = changedTables(state.base, await readTables(app))
    if (changed.length === 0 && findings.length === 0) return isHidden ? dependentWrites(state, requests, statuses) : []
    await restoreTables(app, state.base, changed)
    return (await changesAfter(state, requests, () => true)).findings
  })
}

/** Reports writes whose status reveals a hidden row; a conflict with the row may. */
async function dependentWrites(
  state: State,
  requests: readonly LeakRequest[],
  statuses: readonly number[],
): Promise<Finding[]> {
  const { served, locked } = state
  const keys = locked.ids.map((id) => locked.type.codec.decode(id))
  const without = await withoutRows(served.app, locked.type, keys, async () => {
    const base = await readTables(served.app)
    return changesAfter(
      { ...state, base, protection: { row: 'none', links: false } },
      requests,
      ({ status }) => status < 400,
    )
  })
  return requests.flatMap((request, index) => {
    const [before = 0, after = 0] = [statuses[index], without.statuses[index]]
    if (before === after || before === 409) return []
    return [{ rule: rules.dependent, request, message: `returns ${before} with the row, and ${after} without it` }]
  })
}

interface State {
  readonly served: Served
  readonly locked: LockedRows
  readonly protection: Protection
  readonly principal: string | null
  readonly base: Tables
}

/** Compares the tables after each request whose response is selected, and restores them. */
async function changesAfter(state: State, requests: readonly LeakRequest[], isChecked: (reply: Reply) => boolean) {
  const { served, principal, base } = state
  const findings: Finding[] = []
  const statuses: number[] = []
  for (const request of requests) {
    const reply = await sendOne(served.url, request, principal)
    statuses.push(reply.status)
    if (reply.status >= 500) findings.push({ rule: rules.failed, request, message: sent(reply) })
    if (!isChecked(reply)) continue
    const now = await readTables(served.app)
    const changed = changedTables(base, now)
    if (changed.length === 0) continue
    const lost = await lostLines(state, request, now)
    if (lost.length > 0) {
      findings.push({ rule: rules.changed, request, message: `returns ${reply.status} and changes ${lost.join('; ')}` })
    }
    await restoreTables(served.app, base, changed)
  }
  return { findings, statuses }
}

/** Returns the protected lines that a request has changed or removed, and new join table rows. */
async function lostLines(
  { served, locked, protection, base }: State,
  request: LeakRequest,
  now: Tables,
): Promise<string[]> {
  const { app } = served
  const { type, ids } = locked
  const deleted = deletedType(app, request)
  const isCascade = deleted !== null && (await findCascades(app, deleted)).has((await readTableKey(app, type)).table)
  // Join table rows are deleted with their parent, and so are rows that the database deletes with it.
  const expected: Protection = deleted ? { row: isCascade ? 'none' : protection.row, links: false } : protection
  const keys = ids.map((id) => type.codec.decode(id))
  const kept = protection.mayVanish ? await existingKeys(app, type, keys, now) : keys
  const part = await protectedPart(app, type, kept, expected)
  const [before, after] = [part(base), part(now)]
  return [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))]
}

/** Returns the type of the resource that a request deletes, if it is not the locked one. */
function deletedType(app: App, { method, path, isOwnUrl }: LeakRequest) {
  if (method !== 'DELETE' || isOwnUrl || path.includes('/relationships/')) return null
  const segment = path.split('/').at(-2)
  return [...app.registry.types.values()].find(({ uriType }) => uriType === segment) ?? null
}

async function existingKeys(app: App, type: ResourceType, keys: readonly unknown[], tables: Tables) {
  const { table, column } = await readTableKey(app, type)
  const existing = new Set((tables.get(table) ?? []).map((line) => String(JSON.parse(line)[column])))
  return keys.filter((key) => existing.has(String(key)))
}
