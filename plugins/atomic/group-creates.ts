import { type App, identifiersOf, type OperationDraft, writerOf } from '#kernel/plugin'
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

/** Whether a create can share an insert: statements write the type, no step receives its row, and it has no members. */
function sharesInsert(app: App, { kind, origin, plan, target: { type }, input }: OperationDraft): boolean {
  if (kind !== 'Create' || origin.server.hasOwnHandler || writerOf(app, type).statements === null) return false
  if (plan.beforeSave.length + plan.afterOperation.length + type.steps.checkRows.written.length > 0) return false
  return (input?.linkage ?? []).every(({ relation }) => relation.kind === 'belongsTo')
}

/** Whether the operation refers to a resource that its group creates. */
function refersTo({ input }: OperationDraft, lids: ReadonlySet<string>): boolean {
  const identifiers = (input?.linkage ?? []).flatMap(identifiersOf)
  return identifiers.some(({ type, lid }) => lid !== undefined && lids.has(lidKey(type, lid)))
}
