import { identifiersOf, writerOf } from '#kernel/operations'
import type { App, OperationDraft } from '#kernel/plugin'
import { lidKey } from './local-ids.ts'

/** Operations that are performed together: creates of one type that share an insert, or a single operation. */
export type Group = readonly [OperationDraft, ...OperationDraft[]]

/** Groups adjacent creates of the same type; the order of the operations does not change. */
export function groupCreates(app: App, drafts: readonly OperationDraft[]): readonly Group[] {
  const groups: [OperationDraft, ...OperationDraft[]][] = []
  const lids = new Set<string>()
  for (const draft of drafts) {
    const group = groups.at(-1)
    const isSame =
      group?.[0].target.type === draft.target.type && sharesInsert(app, group[0]) && sharesInsert(app, draft)
    if (group && isSame && !refersTo(draft, lids)) {
      group.push(draft)
    } else {
      groups.push([draft])
      lids.clear()
    }
    if (draft.input?.lid !== undefined) lids.add(lidKey(draft.target.type.name, draft.input.lid))
  }
  return groups
}

/** Whether a create can share an insert: no step receives its row, and it has no members whose rows change. */
function sharesInsert(app: App, { kind, origin, plan, target: { type }, input }: OperationDraft): boolean {
  if (kind !== 'Create' || origin.server.hasOwnHandler || type.persister !== app.store.persister) return false
  if (plan.beforeSave.length + plan.afterSave.length + plan.afterOperation.length > 0) return false
  if (type.steps.checkRows.written.length > 0) return false
  const linkage = input?.linkage ?? []
  // The related rows of entities are looked up for each operation.
  if (writerOf(app, type).statements === null) return linkage.length === 0 && !type.attributes.some(({ on }) => on)
  return linkage.every(({ relation }) => relation.kind === 'belongsTo')
}

/** Whether the operation refers to a resource that its group creates. */
function refersTo({ input }: OperationDraft, lids: ReadonlySet<string>): boolean {
  const identifiers = (input?.linkage ?? []).flatMap(identifiersOf)
  return identifiers.some(({ type, lid }) => lid !== undefined && lids.has(lidKey(type, lid)))
}
