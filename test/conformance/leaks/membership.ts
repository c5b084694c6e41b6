import { ApiError, type Relation, type ResourceType } from '#kernel'
import { type App, wireId } from '#kernel/plugin'
import { samplePivot } from './leak-request.ts'
import { changedTables, readTables, restoreTables } from './tables.ts'

/** A parent of a relation with a locked row as a member, and one without. */
export interface Membership {
  /** A parent with a locked member, and the id of that member. */
  readonly holder: string | undefined
  readonly held: string | undefined
  /** A parent without a locked member. */
  readonly other: string | undefined
}

interface Candidates {
  readonly type: ResourceType
  readonly ids: readonly string[]
  readonly changeable: ReadonlyMap<ResourceType, readonly string[]>
}

const mostParents = 6

async function findMembership(
  app: App,
  relation: Relation,
  { type, ids, changeable }: Candidates,
): Promise<Membership> {
  const parents = (changeable.get(relation.owner) ?? []).slice(0, mostParents)
  const members = await Promise.all(parents.map((id) => memberIds(app, relation, id, type)))
  const index = members.findIndex((memberIds) => ids.some((id) => memberIds.includes(id)))
  const held = ids.find((id) => members[index]?.includes(id))
  const other = parents.find((_, at) => at !== index && !members[at]?.includes(held ?? ids[0] ?? ''))
  return { holder: parents[index], held, other }
}

/** The memberships of all relations to the type. */
export type Memberships = ReadonlyMap<Relation, Membership>

/**
 * Makes a locked row a member of some parent, for every relation without such a member. Undoes a link that unlocks the
 * row: a policy may depend on the parent.
 */
export async function linkEverywhere(
  app: App,
  candidates: Candidates,
  isStillLocked: () => Promise<boolean> = async () => true,
): Promise<Memberships> {
  const { type, ids, changeable } = candidates
  const [id] = ids
  const memberships = new Map<Relation, Membership>()
  const relations = [...app.registry.types.values()].flatMap((root) => root.relations)
  for (const relation of relations.filter(({ targets }) => targets.includes(type))) {
    const membership = await findMembership(app, relation, candidates)
    memberships.set(relation, membership)
    const [parent, other] = changeable.get(relation.owner) ?? []
    const isWritten = relation.owner.operations.has('Update')
    if (membership.holder !== undefined || parent === undefined || id === undefined || !isWritten) continue
    const before = await readTables(app)
    await link(app, relation, parent, { type: type.name, id, meta: { pivot: samplePivot(relation) } })
    const changed = changedTables(before, await readTables(app))
    if (changed.length === 0) continue
    if (await isStillLocked()) memberships.set(relation, { holder: parent, held: id, other })
    else await restoreTables(app, before, changed)
  }
  return memberships
}

/** Adds the member; leaves a relation unchanged that rejects it. */
async function link(app: App, { owner, name, toMany }: Relation, id: string, member: object): Promise<void> {
  const common = { type: owner.name, server: owner.servers[0] as string, id, relation: name }
  const data = (toMany ? [member] : member) as never
  try {
    await app.dispatch({ ...common, kind: toMany ? 'AddToRelationship' : 'UpdateRelationship', data })
  } catch (error) {
    if (![error].flat().every((fault) => fault instanceof ApiError)) throw error
  }
}

async function memberIds(app: App, relation: Relation, id: string, type: ResourceType): Promise<readonly string[]> {
  const { owner, name } = relation
  try {
    const response = await app.dispatch({
      kind: 'FetchRelationship',
      type: owner.name,
      server: owner.servers[0] as string,
      id,
      relation: name,
    })
    if (response.kind !== 'identifier') return []
    const members = response.edge.members.filter((member) => member.type === type)
    return members.map(({ record }) => wireId(type, record))
  } catch (error) {
    if ([error].flat().every((fault) => fault instanceof ApiError)) return []
    throw error
  }
}
