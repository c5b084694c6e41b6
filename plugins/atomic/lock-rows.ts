import { changedRows, toOperation } from '#kernel/operations'
import type { PlannedOperation } from '#kernel/plugin'
import type { BatchUnit } from './insert-group.ts'

/**
 * Locks the rows that the batch changes, before its first write: batches that change the same rows in opposite orders
 * would deadlock. Rows that are unknown yet are locked by their operations.
 */
export async function lockRows(
  { app, unit, budget }: BatchUnit,
  operations: readonly PlannedOperation[],
): Promise<void> {
  const [first] = operations
  const rows = changedRows(operations)
  const count = [...rows.values()].reduce((sum, keys) => sum + keys.size, 0)
  if (!first || count < 2) return
  const { context } = toOperation(app, first, unit, budget)
  const byPersister = Map.groupBy(rows, ([{ persister }]) => persister)
  for (const [persister, group] of byPersister) await persister.lockInOrder?.(new Map(group), context)
}
