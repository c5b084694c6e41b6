import { linkageModeOf, type MemberWrite, type Operation } from '../../contract/operation.ts'
import { addNeeds, createQuery, emptyRelationQuery } from '../../data/create-query.ts'
import type { Member } from '../../data/graph.ts'
import type { LinkageChange, LinkageMode, MemberRow, RelatedMember } from '../../data/persister.ts'
import { planOperation } from '../../plan/create-plan.ts'
import { listRecords } from '../../read/load.ts'
import type { Relation, Row } from '../../schema/field.ts'
import type { ResourceType } from '../../schema/resource-type.ts'
import { runBeforeSave } from '../hooks.ts'
import { scopeReadsRelations } from '../save/check-written.ts'
import { toParent } from './members.ts'

/** How an operation changes the members of its relations. A new resource adds its members. */
export function toLinkageMode({ kind }: Operation): LinkageMode {
  return kind === 'Create' ? 'add' : linkageModeOf(kind)
}

/** A change of another row as an operation of its own, in the context of the operation that causes it. */
export function toMemberWrite(
  { context, requester, target, sentMeta }: Operation,
  type: ResourceType,
  entity: object,
  kind: 'Update' | 'Delete',
  relations: readonly Relation[] = [],
): MemberWrite {
  const id = type.codec.encode(type.persister.keyOf(type, entity))
  const memberTarget = { kind: 'resource' as const, server: target.server, type, id }
  const query = createQuery({ type })
  const operation = {
    kind,
    target: memberTarget,
    requester,
    plan: planOperation(context.app, { kind, target: memberTarget, requester }, query),
    query,
    context,
    ...(sentMeta && { sentMeta }),
  }
  return { operation, entity, relations }
}

/**
 * Whether a step receives rows of the type that change with another resource, before or after they are saved. A type with a
 * check of links counts, so that its plugin does not receive a moved row as a member of a many-to-many.
 */
export function hasMemberSteps({ context, requester, target: { server } }: Operation, type: ResourceType): boolean {
  const { scope, checkRows } = type.steps
  const { members, links, written } = checkRows
  if (scope.written.length + members.length + links.length + written.length > 0) return true
  return (['Update', 'Delete'] as const).some((kind) => {
    const target = { kind: 'resource', server, type } as const
    const { beforeSave, afterCommit } = planOperation(context.app, { kind, target, requester }, createQuery({ type }))
    return beforeSave.length + afterCommit.length > 0
  })
}

/** Checks rows of one type that are going to change. */
export async function checkMembers(type: ResourceType, writes: readonly MemberWrite[]): Promise<void> {
  if (writes.length === 0) return
  for (const step of type.steps.checkRows.members) await step.check(type, writes)
}

/** Runs `beforeSave` of rows that are changed in memory, and notes them for the checks and hooks around the commit. */
export async function beforeSaveMembers(writes: readonly MemberWrite[]): Promise<void> {
  for (const { operation, entity } of writes) {
    const { context, kind, target } = operation
    await runBeforeSave(operation, entity)
    context.rowChanges.addMember(operation)
    if (kind === 'Update') context.rowChanges.add(target.type, target.type.persister.keyOf(target.type, entity))
  }
}

/**
 * Locks the members whose row holds the foreign key, and authorizes the rows that are going to change. Undefined if the
 * rows of members stay unchanged.
 */
export async function prepareMove(
  operation: Operation,
  relation: Relation,
  parent: object | null,
  members: readonly RelatedMember[],
): Promise<Pick<LinkageChange, 'locked' | 'beforeSave'> | undefined> {
  const { context } = operation
  const { owner, target } = relation
  const change = { mode: toLinkageMode(operation), members }
  const locked = await owner.persister.lockMembers?.(relation, parent, change, context)
  if (!locked) return undefined
  const writes = new Map<MemberRow, MemberWrite>()
  const inverse = inverseRelations(relation, target)
  for (const row of locked) {
    if (row.change === 'none') continue
    const kind = row.change === 'delete' ? 'Delete' : 'Update'
    writes.set(row, toMemberWrite(operation, target, row.entity, kind, inverse))
  }
  await checkMembers(target, [...writes.values()])
  return { locked, beforeSave: (rows) => beforeSaveMembers(rows.flatMap((row) => writes.get(row) ?? [])) }
}

/**
 * Checks members that are added to or removed from a many-to-many; `found` are the named ones. Members whose
 * write scope reads relations are checked after the write.
 */
export async function checkLinks(
  operation: Operation,
  relation: Relation,
  parent: object | null,
  members: readonly RelatedMember[],
  found: FoundRows,
): Promise<void> {
  const { context } = operation
  const isReplacement = parent !== null && toLinkageMode(operation) === 'replace'
  let loading: Promise<readonly Member[]> | undefined
  const loadCurrent = (parent: object) => {
    loading ??= currentRows(operation, relation, parent)
    return loading
  }
  for (const type of relation.targets) {
    const keys = members.filter((member) => member.type === type).map(({ key }) => key)
    if (keys.length === 0 && !isReplacement) continue
    const current = async () => (isReplacement ? listRecords(await loadCurrent(parent), type) : [])
    const rows = async () => changedLinks(type, new Set(keys.map(String)), found, await current())
    const inverse = inverseRelations(relation, type)
    for (const step of type.steps.checkRows.links) await step.check(operation, type, rows, inverse)
    if (!(await scopeReadsRelations(type, context))) continue
    for (const row of await current()) context.rowChanges.add(type, row[type.id.property])
    for (const key of keys) context.rowChanges.add(type, key)
  }
}

/** The rows of a type that become members, or are removed. */
function changedLinks(
  type: ResourceType,
  named: ReadonlySet<string>,
  found: FoundRows,
  current: readonly Row[],
): readonly Row[] {
  const before = new Map(current.map((record) => [String(record[type.id.property]), record]))
  const added = [...named]
    .filter((key) => !before.has(key))
    .flatMap((key): Row[] => {
      const row = found.get(type)?.get(key)
      return row ? [row] : []
    })
  const removed = [...before].filter(([key]) => !named.has(key)).map(([, row]) => row)
  return [...added, ...removed]
}

/** Rows by type and by their key as text. */
export type FoundRows = ReadonlyMap<ResourceType, ReadonlyMap<string, Row>>

/** The members before the change that the requester sees: a replacement keeps the hidden ones. */
async function currentRows(operation: Operation, relation: Relation, parent: object): Promise<readonly Member[]> {
  const { owner, target, targets } = relation
  const base = createQuery({ type: owner, relation })
  base.fields = new Map(targets.map(({ name }) => [name, new Set<string>()]))
  for (const type of targets) addNeeds(base, type, type.linkColumns)
  const query = emptyRelationQuery(base, false)
  const [page] = await owner.provider.related(relation, [toParent(owner, parent)], query, operation.context)
  return (page?.records ?? []).map((record, index) => ({ type: page?.types?.[index] ?? target, record }))
}

/** The relations of a target type that are the inverse side of a relation. A write of one side changes both. */
function inverseRelations({ owner, property }: Relation, type: ResourceType): readonly Relation[] {
  const inverse = owner.shape.properties.get(property as string)?.inverse
  return type.relations.filter((other) => {
    const shape = type.shape.properties.get(other.property as string)
    if (!shape?.targets?.includes(owner.entity)) return false
    return shape.name === inverse || shape.inverse === property
  })
}
