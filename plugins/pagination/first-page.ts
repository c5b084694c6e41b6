import type { Paginator, RelationLoad, SortTerm } from '#kernel/queries'

/** Limits a to-many to the first page of a paginator. The page links of the relation have the same order. */
export function limitToFirstPage(
  { relation, query, context }: RelationLoad,
  paginator: Paginator,
  sort: readonly SortTerm[],
): void {
  query.paginator = paginator
  query.window = paginator.window({}, { ...query.base, type: relation.target, sort })
  if (paginator.profile) context.request?.appliedProfiles.add(paginator.profile)
}
