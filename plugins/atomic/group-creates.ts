import { findWriter, listIdentifiers } from '#kernel/operations'
import type { App, PlannedOperation } from '#kernel/plugin'
import { lidKey } from './local-ids.ts'

/** Operations that are performed together: creates of one type that share an insert, or a single operation. */
export type Group = readonly [PlannedOperation, ...PlannedOperation[]]

/** Groups adjacent creates of the same type; the order of the operations does not change. */
export function groupCreates(app: App, operations: readonly PlannedOperation[]): readonly Group[] {
  const groups: [PlannedOperation, ...PlannedOperation[]][] = []
  const lids = new Set<string>()
  for (const planned of operations) {
    const group = groups.at(-1)
    const isSame =
      group?.[0].target.type === planned.target.type && sharesInsert(app, group[0]) && sharesInsert(app, planned)
    if (group && isSame && !refersTo(planned, lids)) {
      group.push(planned)
    } else {
      groups.push([planned])
      lids.clear()
    }
    if (planned.input?.lid !== undefined) lids.add(lidKey(planned.target.type.name, planned.input.lid))
  }
  return groups
}

/** Whether a create can share an insert: no step receives its row, and it has no members whose rows change. */
function sharesInsert(app: App, { kind, requester, plan, target: { type }, input }: PlannedOperation): boolean {
  if (kind !== 'Create' || requester.server.hasOwnHandler || type.persister !== app.store.persister) return false
  if (plan.beforeSave.length + plan.afterSave.length + plan.afterOperation.length > 0) return false
  if (type.steps.checkRows.written.length > 0) return false
  const linkage = input?.linkage ?? []
  // The related rows of entities are looked up for each operation.
  if (findWriter(app, type).statements === null) return linkage.length === 0 && !type.attributes.some(({ on }) => on)
  return linkage.every(({ relation }) => relation.kind === 'belongsTo')
}

/** Whether the operation refers to a resource that its group creates. */
function refersTo({ input }: PlannedOperation, lids: ReadonlySet<string>): boolean {
  const identifiers = (input?.linkage ?? []).flatMap(listIdentifiers)
  return identifiers.some(({ type, lid }) => lid !== undefined && lids.has(lidKey(type, lid)))
}
