import type { ResourceType } from '#kernel'
import { readPolicyClass } from '#plugins/authorization/policy.ts'
import type { LockedRows } from '#test/conformance/leaks/changes.ts'
import { requestText } from '#test/conformance/leaks/findings.ts'
import { buildUrl, type HiddenRows, read } from '#test/conformance/leaks/leak-request.ts'
import { type Finding, findChanges, findLeaks, rules } from '#test/conformance/leaks/matrix.ts'
import type { Protection } from '#test/conformance/leaks/protection.ts'
import { type Includes, listReads } from '#test/conformance/leaks/reads.ts'
import { sendOne } from '#test/conformance/leaks/replies.ts'
import { findIncludes, listServers, readCursors } from '#test/conformance/leaks/run.ts'
import { requestsNaming } from '#test/conformance/leaks/writes.ts'
import { type Access, findAccess, isDenial, readStoredValues, statusNow } from '../access.ts'
import type { Prover } from '../prover.ts'
import { requiredMembers } from '../rows.ts'
import type { ServedType } from '../served-types.ts'

/** A row that returns 401, 403 or 404 at its own URL is in no other response, and changes none. */
export async function deniedRowsStayHidden(served: ServedType, prover: Prover): Promise<void> {
  const { type } = served
  if (!isFirst(served)) return
  for (const principal of prover.principals) {
    const ids = await deniedEverywhere(prover, type, principal, ({ reads }) => reads)
    if (ids.length === 0) continue
    const access = await findAccess(prover, type, principal)
    const hidden = {
      type,
      ids,
      values: await readStoredValues(prover, type, ids),
      visible: await visibleTo(prover, principal),
    }
    const cursors = await Promise.all(prover.principals.map((minter) => readCursors(prover, type, minter)))
    const includes = await acceptedIncludes(prover)
    const requests = [
      ...listReads(prover.app, hidden, includes),
      ...cursors.flat(),
      ...requestsNaming(prover.app, hidden),
    ]
    const findings = await findLeaks(prover, hidden, requests, principal, {
      isDenied: ids.some((id) => access.reads.get(id) !== 404),
      hasShortPages: readPolicyClass(type.declaration)?.rowsByView === true,
      isComparable: () => isStillVisible(prover, hidden, principal),
    })
    report(prover, findings, rules.shown, served, principal)
  }
}

/** A row that cannot be changed at its own URL stays unchanged by every write that could reach it. */
export async function deniedRowsAreUnchanged(served: ServedType, prover: Prover): Promise<void> {
  const { type } = served
  if (!isFirst(served)) return
  for (const principal of prover.principals) {
    for (const { ids, protection } of await protectedGroups(prover, type, principal)) {
      const locked = await lockedFor(prover, type, ids, principal)
      const method = protection.row === 'existence' ? 'DELETE' : 'PATCH'
      const isStillLocked = async () => isDenial(await statusNow(prover, type, ids[0] as string, method, principal))
      const findings = await findChanges(prover, locked, protection, principal, { isStillLocked })
      report(prover, findings, rules.changed, served, principal)
    }
  }
}

/** Returns whether this is the first server of the type; the rules are about rows, which all servers share. */
function isFirst({ server, type }: ServedType): boolean {
  return type.servers[0] === server.name && !type.isStandalone
}

/** Returns the rows that every type of the entity denies. */
async function deniedEverywhere(
  prover: Prover,
  type: ResourceType,
  principal: string | null,
  statusesOf: (access: Access) => ReadonlyMap<string, number>,
): Promise<string[]> {
  const types = [...prover.app.registry.types.values()].filter(({ entity }) => entity === type.entity)
  const accesses = await Promise.all(
    types.map(async (shared) => [shared, await findAccess(prover, shared, principal)] as const),
  )
  const isDenied = (key: unknown) =>
    accesses.every(([shared, access]) => {
      const status = statusesOf(access).get(shared.codec.encode(key))
      return status === undefined || isDenial(status)
    })
  const own = await findAccess(prover, type, principal)
  return own.ids.filter((id) => isDenial(statusesOf(own).get(id)) && isDenied(type.codec.decode(id)))
}

interface Group {
  readonly ids: readonly string[]
  readonly protection: Protection
}

async function protectedGroups(prover: Prover, type: ResourceType, principal: string | null): Promise<Group[]> {
  const notUpdated = await deniedEverywhere(prover, type, principal, ({ updates }) => updates)
  const notDeleted = await deniedEverywhere(prover, type, principal, ({ deletes }) => deletes)
  const mayVanish = type.operations.has('Delete')
  const links = readPolicyClass(type.declaration)?.prototype.linkable === undefined
  const groups: Group[] = [
    {
      ids: notUpdated.filter((id) => !mayVanish || notDeleted.includes(id)),
      protection: { row: 'content', links },
    },
    {
      ids: notUpdated.filter((id) => mayVanish && !notDeleted.includes(id)),
      protection: { row: 'content', links, mayVanish: true },
    },
    {
      ids: notDeleted.filter((id) => !notUpdated.includes(id)),
      protection: { row: 'existence', links: false },
    },
  ]
  return groups.filter(({ ids }) => ids.length > 0)
}

async function lockedFor(
  prover: Prover,
  type: ResourceType,
  ids: readonly string[],
  principal: string | null,
): Promise<LockedRows> {
  const changeable = new Map<ResourceType, readonly string[]>()
  const required = new Map<ResourceType, object>()
  for (const stored of storedTypes(prover)) {
    const access = await findAccess(prover, stored, principal)
    changeable.set(
      stored,
      access.ids.filter((id) => !isDenial(access.updates.get(id)) && !(stored === type && ids.includes(id))),
    )
    const members = Object.entries(await requiredMembers(prover.app, stored))
    required.set(stored, Object.fromEntries(members.map(([name, data]) => [name, { data }])))
  }
  return { type, ids, changeable, required }
}

async function visibleTo(prover: Prover, principal: string | null): Promise<HiddenRows['visible']> {
  const visible = new Map<ResourceType, readonly string[]>()
  for (const type of storedTypes(prover)) {
    const { ids, reads } = await findAccess(prover, type, principal)
    visible.set(
      type,
      ids.filter((id) => !isDenial(reads.get(id))),
    )
  }
  return visible
}

/** Returns whether the other rows are still visible without the hidden rows: a scope may depend on them. */
async function isStillVisible(
  prover: Prover,
  { type, visible }: HiddenRows,
  principal: string | null,
): Promise<boolean> {
  for (const [visibleType, ids] of visible) {
    if (visibleType.entity === type.entity || !visibleType.operations.has('FetchOne')) continue
    for (const id of ids) {
      const url = `${prover.url}${buildUrl(listServers(prover, visibleType)[0], visibleType, id)}`
      const { status } = await sendOne('', read(url), principal)
      if (isDenial(status)) return false
    }
  }
  return true
}

function storedTypes({ app }: Prover): ResourceType[] {
  return [...app.registry.types.values()].filter(({ isStandalone }) => !isStandalone)
}

const includesCache = new WeakMap<Prover, Promise<Includes>>()

/** Returns the accepted include paths, which do not depend on the principal. */
function acceptedIncludes(prover: Prover): Promise<Includes> {
  const includes = includesCache.get(prover) ?? findIncludes(prover, null)
  includesCache.set(prover, includes)
  return includes
}

function report(
  prover: Prover,
  findings: readonly Finding[],
  rule: string,
  { url }: ServedType,
  principal: string | null,
): void {
  if (findings.length === 0) prover.check(true, rule, url, '')
  for (const finding of findings) {
    prover.check(
      false,
      finding.rule,
      requestText(finding),
      `as ${principal ?? 'an anonymous client'}: ${finding.message}`,
    )
  }
}
