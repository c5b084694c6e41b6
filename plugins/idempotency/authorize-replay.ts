import { ApiError } from '#kernel/errors'
import { hasSubject, runChecks, toOperation } from '#kernel/operations'
import type { Operation, PlannedOperation, Query, RequestTransaction } from '#kernel/plugin'
import { addNeeds, createQuery, wholeRow } from '#kernel/queries'
import type { StoredResponse } from './stored-response.ts'

/**
 * Authorizes the operations of a repeated request: creates and actions of collections, and others on their subjects as they
 * are now. Skips a subject that no longer exists for the requester. Reads the subjects of each type by one statement.
 */
export async function authorizeReplay(transaction: RequestTransaction, { localIds }: StoredResponse): Promise<void> {
  const { request, unit } = transaction
  for (const [lid, id] of Object.entries(localIds ?? {})) transaction.createdIds.set(lid, id)
  const operations = transaction.operations
    .map((planned) => withStoredIds(planned, transaction))
    .filter((planned) => planned !== null)
    .map((planned) => toOperation(request.app, planned, unit))
  for (const operation of operations) if (!hasSubject(operation)) await runChecks(operation, null)
  const groups = Map.groupBy(operations.filter(hasSubject), ({ target }) => target.type)
  for (const group of groups.values()) await authorizeGroup(group)
}

/** Replaces local ids by the ids of the first request. Returns null if it failed before it created them. */
function withStoredIds(planned: PlannedOperation, transaction: RequestTransaction): PlannedOperation | null {
  try {
    return transaction.resolve(planned)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

async function authorizeGroup(group: readonly Operation[]): Promise<void> {
  const [first] = group
  if (!first) return
  const { context, target } = first
  const { type } = target
  const keys = new Map(group.map((operation) => [operation, type.codec.decode(operation.target.id as string)]))
  const wanted = [...keys.values()].filter((key) => key !== undefined)
  const rows = await type.provider.many(type, wanted, subjectQuery(first), context, { addressed: true })
  const rowsByKey = new Map(rows.map((row) => [String(row[type.id.property]), row]))
  for (const [operation, key] of keys) {
    const row = rowsByKey.get(String(key))
    if (row) await runChecks(operation, row)
  }
}

/** Selects the whole row, and the columns of other rows that an ability reads. */
function subjectQuery({ target: { type }, query: { needs } }: Operation): Query {
  const query = createQuery({ type })
  addNeeds(query, type, [...wholeRow(type), ...(needs.get(type) ?? [])])
  return query
}
