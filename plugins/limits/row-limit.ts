import type { Context, Excess, Query } from '#kernel/plugin'
import type { RelationLoad, RowLimit } from '#kernel/queries'

/** The rows that a collection may return, or a relation for all its parents. Null if the limit is disabled. */
export function rowLimit(query: Query, context: Context, load?: RelationLoad): RowLimit | null {
  if (load) return relationRowLimit(load)
  return toRowLimit(context.budget.resources, { counted: 'resources', query, context })
}

/**
 * The rows a relation may return for all its parents. Each row is an identifier in the linkage of its parent, unless the
 * members are primary data. Resources that are already in the document do not count again. Null for a to-one relation,
 * which has at most one row per parent, and if the limits are disabled.
 */
function relationRowLimit(load: RelationLoad): RowLimit | null {
  const { relation, query, context } = load
  if (!relation.toMany) return null
  const { identifiers } = context.budget
  const resources = query.linkage ? Number.POSITIVE_INFINITY : resourceRows(load)
  const isPrimary = load.primary === true && !query.linkage
  const counted = isPrimary || resources < identifiers ? 'resources' : 'identifiers'
  const rows = counted === 'resources' ? resources : identifiers
  return toRowLimit(rows, { counted, query: query.base, context, load })
}

/** Parents of a many-to-many may share members, so that each parent may have all resources of the document. */
function resourceRows({ relation, parents, context: { graph, budget } }: RelationLoad): number {
  let rows = budget.resources
  for (const target of relation.targets) rows += graph.countMembers(target)
  return relation.kind === 'hasMany' ? rows : rows * parents.length
}

function toRowLimit(rows: number, excess: Excess): RowLimit | null {
  if (rows === Number.POSITIVE_INFINITY) return null
  return {
    rows,
    refuse: () => {
      throw excess.context.budget.toError(excess)
    },
  }
}
