import type { App } from '../../model/app.ts'
import type { OperationDraft } from '../../model/operation.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import { identifiersOf } from '../input/members.ts'
import { receivesEntity } from '../save/fast-path.ts'
import { lidKey } from './local-ids.ts'

/** Operations that are performed together: creates of one type that can share a statement, or a single operation. */
export type Run = readonly [OperationDraft, ...OperationDraft[]]

/** Groups adjacent creates of the same type; the order of the operations does not change. */
export function runsOf(app: App, drafts: readonly OperationDraft[]): readonly Run[] {
  const runs: [OperationDraft, ...OperationDraft[]][] = []
  const lids = new Set<string>()
  const moved = new Set<string>()
  for (const draft of drafts) {
    const run = runs.at(-1)
    const isSame = run?.[0].target.type === draft.target.type && isBulkCreate(app, run[0]) && isBulkCreate(app, draft)
    const members = movedMembers(draft)
    if (run && isSame && !refersTo(draft, lids) && !members.some((member) => moved.has(member))) {
      run.push(draft)
    } else {
      runs.push([draft])
      lids.clear()
      moved.clear()
    }
    for (const member of members) moved.add(member)
    if (draft.input?.lid !== undefined) lids.add(lidKey(draft.target.type.name, draft.input.lid))
  }
  return runs
}

/**
 * Whether the operation is a create by the default handler and persister that can share an insert: it has no chained
 * attributes, and no hook receives its row or decides on its members.
 */
function isBulkCreate(app: App, { kind, origin, plan, target: { type }, input }: OperationDraft): boolean {
  if (kind !== 'Create' || !origin.server.usesDefaultHandler || type.persister !== app.store.persister) return false
  if (receivesEntity(plan) || type.attributes.some(({ on }) => on)) return false
  if (type.steps.checkRows.written.length + plan.afterOperation.length > 0) return false
  const linked = (input?.linkage ?? []).filter(({ relation }) => relation.kind !== 'belongsTo')
  return !linked.some(({ relation }) => relation.targets.some((target) => checksMembers(target)))
}

/** Whether a check of members may read what earlier operations have written. */
function checksMembers({ steps: { checkRows } }: ResourceType): boolean {
  return checkRows.members.length + checkRows.links.length > 0
}

/** Members whose own rows change. A member that moves twice is authorized by its row after the first move. */
function movedMembers({ input }: OperationDraft): string[] {
  const moving = (input?.linkage ?? []).filter(({ relation: { kind } }) => kind === 'hasMany' || kind === 'hasOne')
  return moving.flatMap((one) => identifiersOf(one).map(({ type, id, lid }) => `${type} ${id ?? ''} ${lid ?? ''}`))
}

/** Whether the operation refers to a resource that its run creates. */
function refersTo({ input }: OperationDraft, lids: ReadonlySet<string>): boolean {
  const identifiers = (input?.linkage ?? []).flatMap(identifiersOf)
  return identifiers.some(({ type, lid }) => lid !== undefined && lids.has(lidKey(type, lid)))
}
