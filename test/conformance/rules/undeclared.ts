import { hasRelationshipEndpoint } from '#kernel/plugin'
import type { Prover } from '../prover.ts'
import type { ServedType } from '../served-types.ts'

/** Undeclared parameters, members of parameters, relations and rows return 400 or 404. */
export async function undeclaredIsRejected(
  { url, type, principal, hasList, hasOne, rows }: ServedType,
  prover: Prover,
): Promise<void> {
  const [row] = rows
  const queries = ['undeclared=1', 'include=undeclared', `fields[${type.name}]=undeclared`]
  const ofLists = ['sort=undeclared', 'filter[undeclared]=1']
  const targets = [
    ...(hasList ? [...queries, ...ofLists].map((query) => `${url}?${query}`) : []),
    ...(hasOne && row ? queries.map((query) => `${url}/${encodeURIComponent(row.id)}?${query}`) : []),
  ]
  for (const target of targets)
    await prover.expect([400], 'an undeclared parameter or member returns 400', target, { principal })
  if (!row) return
  const resourceUrl = `${url}/${encodeURIComponent(row.id)}`
  await prover.expect([404], 'an undeclared relation returns 404', `${resourceUrl}/undeclared`, { principal })
  await prover.expect([404], 'an undeclared relation returns 404', `${resourceUrl}/relationships/undeclared`, {
    principal,
  })
  for (const relation of type.relations.filter((candidate) => !hasRelationshipEndpoint(candidate))) {
    const path = `${resourceUrl}/relationships/${relation.segment}`
    await prover.expect([404], 'linkage without an endpoint returns 404', path, { principal })
  }
}
