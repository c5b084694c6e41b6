import { memberName, type NamedMember, toParent } from '#kernel/operations'
import type { Operation, Relation, Row } from '#kernel/plugin'
import { countQuery, createQuery, emptyRelationQuery, isIn, pivotKey } from '#kernel/queries'

/** The pivot values of named members before the change, by member name, without members that the requester may not see. */
export async function currentMembers(
  { context }: Operation,
  relation: Relation,
  subject: object,
  named: readonly NamedMember[],
): Promise<Map<string, Row>> {
  const { owner, target, targets, pivotFields } = relation
  const base = createQuery({ type: owner, relation })
  const keys = named.flatMap(({ key }) => (key === undefined ? [] : [key]))
  // A condition compares columns of one type.
  const where = targets.length === 1 ? [isIn(target.id.property, keys)] : []
  const query = emptyRelationQuery(base, true, { where })
  const [page] = await owner.provider.related(relation, [toParent(owner, subject)], query, context)
  const rows = (page?.records ?? []).map((record, index): [string, Row] => {
    const type = page?.types?.[index] ?? target
    const values = pivotFields.map((field) => [field.property, record[pivotKey(field)]])
    return [memberName(type, record[type.id.property]), Object.fromEntries(values)]
  })
  return new Map(rows)
}

/** Counts the members before the change that the requester may see. */
export async function countCurrentMembers(
  { context }: Operation,
  relation: Relation,
  subject: object,
): Promise<number> {
  const { owner } = relation
  const query = countQuery(createQuery({ type: owner, relation }))
  const [page] = await owner.provider.related(relation, [toParent(owner, subject)], query, context)
  return page?.total ?? 0
}
