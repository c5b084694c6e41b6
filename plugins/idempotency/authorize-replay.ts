import {
  addNeeds,
  createQuery,
  type Operation,
  type Query,
  type RequestTransaction,
  runSubjectLoaded,
  toOperation,
  wholeRow,
} from '#kernel/plugin'

/**
 * Authorizes the operations of a repeated request on their subjects as they are now. Skips a subject that no longer exists
 * for the requester. Reads the subjects of each type by one statement.
 */
export async function authorizeReplay({ request, unit, operations }: RequestTransaction): Promise<void> {
  const addressed = operations.filter(({ target }) => target.id !== undefined)
  const groups = Map.groupBy(
    addressed.map((draft) => toOperation(request.app, draft, unit)),
    ({ target }) => target.type,
  )
  for (const group of groups.values()) await authorizeGroup(group)
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
    if (row) await runSubjectLoaded(operation, row)
  }
}

/** Selects the whole row, and the columns of other rows that an ability reads. */
function subjectQuery({ target: { type }, query: { needs } }: Operation): Query {
  const query = createQuery({ type })
  addNeeds(query, type, [...wholeRow(type), ...(needs.get(type) ?? [])])
  return query
}
