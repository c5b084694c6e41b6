import { getOrCreate } from '../../lib/get-or-create.ts'
import type { App } from '../../model/app.ts'
import type { DocumentBudget } from '../../model/limits.ts'
import { isRelationshipWrite, type OperationDraft } from '../../model/operation.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import type { Unit } from '../../model/store.ts'
import { createContext } from '../context.ts'
import { identifiersOf, typeNamed } from '../input/members.ts'

/**
 * Locks the rows that the batch changes, before its first write: batches that change the same rows in opposite orders
 * would deadlock. Rows with a local id and rows that a replacement removes are unknown yet; their operations lock them.
 */
export async function lockBatchRows(
  app: App,
  drafts: readonly OperationDraft[],
  unit: Unit,
  budget: DocumentBudget,
): Promise<void> {
  const [first] = drafts
  const rows = changedRows(drafts)
  if (!first || countKeys(rows) < 2) return
  const context = createContext(app, first, unit, budget)
  const byPersister = Map.groupBy(rows, ([{ persister }]) => persister)
  for (const [persister, group] of byPersister) await persister.lockInOrder?.(new Map(group), context)
}

type Keys = Map<ResourceType, Set<unknown>>

/** The subjects of updates, deletions and relationship writes, and the members whose foreign key changes. */
function changedRows(drafts: readonly OperationDraft[]): Keys {
  const rows: Keys = new Map()
  const add = (type: ResourceType | undefined, id: string | undefined) => {
    const key = id === undefined ? undefined : type?.codec.decode(id)
    if (type && key !== undefined) getOrCreate(rows, type, () => new Set()).add(key)
  }
  for (const { kind, target, input } of drafts) {
    if (kind === 'Update' || kind === 'Delete' || isRelationshipWrite(kind)) add(target.type, target.id)
    for (const linkage of input?.linkage ?? []) {
      const { relation } = linkage
      if (relation.kind !== 'hasMany' && relation.kind !== 'hasOne') continue
      for (const { type, id } of identifiersOf(linkage)) add(typeNamed(relation, type), id)
    }
  }
  return rows
}

function countKeys(rows: Keys): number {
  return [...rows.values()].reduce((count, keys) => count + keys.size, 0)
}
