import type { ResourceType } from '#kernel'
import { policyClassOf } from '#plugins/authorization/policy.ts'
import type { Locked } from '#test/support/leaks/changes.ts'
import { requestText } from '#test/support/leaks/findings.ts'
import { type Finding, findChanges, findLeaks, rules } from '#test/support/leaks/matrix.ts'
import type { Protection } from '#test/support/leaks/protection.ts'
import { type Includes, readsOf } from '#test/support/leaks/reads.ts'
import { sendOne } from '#test/support/leaks/replies.ts'
import { cursorsOf, findIncludes, serversOf } from '#test/support/leaks/run.ts'
import { type Hidden, read, urlOf } from '#test/support/leaks/way.ts'
import { namingsOf } from '#test/support/leaks/writes.ts'
import { type Access, accessOf, isDenial, statusNow, valuesOf } from '../access.ts'
import type { Prover } from '../prover.ts'
import { requiredMembers } from '../rows.ts'
import type { Place } from '../survey.ts'

/** A row that is a 401, 403 or 404 at its own URL is in no other answer, and changes none. */
export async function deniedRowsStayHidden(place: Place, prover: Prover): Promise<void> {
  const { type } = place
  if (!isFirst(place)) return
  for (const who of prover.principals) {
    const ids = await deniedEverywhere(prover, type, who, ({ reads }) => reads)
    if (ids.length === 0) continue
    const access = await accessOf(prover, type, who)
    const hidden = { type, ids, values: await valuesOf(prover, type, ids), visible: await visibleTo(prover, who) }
    const cursors = await Promise.all(prover.principals.map((minter) => cursorsOf(prover, type, minter)))
    const includes = await includesOf(prover)
    const ways = [...readsOf(prover.app, hidden, includes), ...cursors.flat(), ...namingsOf(prover.app, hidden)]
    const findings = await findLeaks(prover, hidden, ways, who, {
      isDenied: ids.some((id) => access.reads.get(id) !== 404),
      hasShortPages: policyClassOf(type.declaration)?.rowsByView === true,
      isComparable: () => isStillVisible(prover, hidden, who),
    })
    report(prover, findings, rules.shown, place, who)
  }
}

/** A row that cannot be changed at its own URL is the same after every write that could reach it. */
export async function deniedRowsAreUnchanged(place: Place, prover: Prover): Promise<void> {
  const { type } = place
  if (!isFirst(place)) return
  for (const who of prover.principals) {
    for (const { ids, protection } of await protectedGroups(prover, type, who)) {
      const locked = await lockedFor(prover, type, ids, who)
      const method = protection.row === 'existence' ? 'DELETE' : 'PATCH'
      const isStillLocked = async () => isDenial(await statusNow(prover, type, ids[0] as string, method, who))
      const findings = await findChanges(prover, locked, protection, who, { isStillLocked })
      report(prover, findings, rules.changed, place, who)
    }
  }
}

/** The rules are about rows, which are the same on every server. */
function isFirst({ server, type }: Place): boolean {
  return type.servers[0] === server.name && !type.isStandalone
}

/** Rows denied by every type that shows or changes them. */
async function deniedEverywhere(
  prover: Prover,
  type: ResourceType,
  who: string | null,
  statusesOf: (access: Access) => ReadonlyMap<string, number>,
): Promise<string[]> {
  const types = [...prover.app.registry.types.values()].filter(({ entity }) => entity === type.entity)
  const accesses = await Promise.all(types.map(async (one) => [one, await accessOf(prover, one, who)] as const))
  const isDenied = (key: unknown) =>
    accesses.every(([one, access]) => {
      const status = statusesOf(access).get(one.codec.encode(key))
      return status === undefined || isDenial(status)
    })
  const own = await accessOf(prover, type, who)
  return own.ids.filter((id) => isDenial(statusesOf(own).get(id)) && isDenied(type.codec.decode(id)))
}

interface Group {
  readonly ids: readonly string[]
  readonly protection: Protection
}

async function protectedGroups(prover: Prover, type: ResourceType, who: string | null): Promise<Group[]> {
  const notUpdated = await deniedEverywhere(prover, type, who, ({ updates }) => updates)
  const notDeleted = await deniedEverywhere(prover, type, who, ({ deletes }) => deletes)
  const mayVanish = type.operations.has('Delete')
  const links = policyClassOf(type.declaration)?.prototype.linkable === undefined
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
  who: string | null,
): Promise<Locked> {
  const changeable = new Map<ResourceType, readonly string[]>()
  const required = new Map<ResourceType, object>()
  for (const one of storedTypes(prover)) {
    const access = await accessOf(prover, one, who)
    changeable.set(
      one,
      access.ids.filter((id) => !isDenial(access.updates.get(id)) && !(one === type && ids.includes(id))),
    )
    const members = Object.entries(await requiredMembers(prover.app, one))
    required.set(one, Object.fromEntries(members.map(([name, data]) => [name, { data }])))
  }
  return { type, ids, changeable, required }
}

async function visibleTo(prover: Prover, who: string | null): Promise<Hidden['visible']> {
  const visible = new Map<ResourceType, readonly string[]>()
  for (const type of storedTypes(prover)) {
    const { ids, reads } = await accessOf(prover, type, who)
    visible.set(
      type,
      ids.filter((id) => !isDenial(reads.get(id))),
    )
  }
  return visible
}

/** Whether erasing the hidden rows has left the other rows visible: a scope may depend on them. */
async function isStillVisible(prover: Prover, { type, visible }: Hidden, who: string | null): Promise<boolean> {
  for (const [one, ids] of visible) {
    if (one.entity === type.entity || !one.operations.has('FetchOne')) continue
    for (const id of ids) {
      const url = `${prover.url}${urlOf(serversOf(prover, one)[0], one, id)}`
      const { status } = await sendOne('', read(url), who)
      if (isDenial(status)) return false
    }
  }
  return true
}

function storedTypes({ app }: Prover): ResourceType[] {
  return [...app.registry.types.values()].filter(({ isStandalone }) => !isStandalone)
}

const includesCache = new WeakMap<Prover, Promise<Includes>>()

/** Which include paths are accepted does not depend on the principal. */
function includesOf(prover: Prover): Promise<Includes> {
  const includes = includesCache.get(prover) ?? findIncludes(prover, null)
  includesCache.set(prover, includes)
  return includes
}

function report(prover: Prover, findings: readonly Finding[], rule: string, { url }: Place, who: string | null): void {
  if (findings.length === 0) prover.hold(true, rule, url, '')
  for (const finding of findings) {
    prover.hold(false, finding.rule, requestText(finding), `as ${who ?? 'an anonymous client'}: ${finding.message}`)
  }
}
