import type { App } from '../../model/app.ts'
import type { DocumentBudget } from '../../model/limits.ts'
import type { OperationDraft } from '../../model/operation.ts'
import type { RowKeys, Unit } from '../../model/store.ts'
import { changedRows } from '../changed-rows.ts'
import { createContext } from '../context.ts'

/**
 * Locks the rows that the batch changes, before its first write: batches that change the same rows in opposite orders
 * would deadlock. Rows that are unknown yet are locked by their operations.
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

function countKeys(rows: RowKeys): number {
  return [...rows.values()].reduce((count, keys) => count + keys.size, 0)
}
