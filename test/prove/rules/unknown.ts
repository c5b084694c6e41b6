import { hasRelationshipEndpoint } from '#kernel/plugin'
import type { Prover } from '../prover.ts'
import type { Place } from '../survey.ts'

/** What nobody declared is refused: parameters, members of them, relations and rows. */
export async function unknown({ url, type, who, hasList, hasOne, rows }: Place, prover: Prover): Promise<void> {
  const [row] = rows
  const queries = ['nobody=1', 'include=nobody', `fields[${type.name}]=nobody`]
  const ofLists = ['sort=nobody', 'filter[nobody]=1']
  const targets = [
    ...(hasList ? [...queries, ...ofLists].map((query) => `${url}?${query}`) : []),
    ...(hasOne && row ? queries.map((query) => `${url}/${encodeURIComponent(row.id)}?${query}`) : []),
  ]
  for (const target of targets) await prover.expect([400], 'what nobody declared is a 400', target, { who })
  if (!row) return
  const one = `${url}/${encodeURIComponent(row.id)}`
  await prover.expect([404], 'a relation nobody declared is a 404', `${one}/nobody`, { who })
  await prover.expect([404], 'a relation nobody declared is a 404', `${one}/relationships/nobody`, { who })
  for (const relation of type.relations.filter((one) => !hasRelationshipEndpoint(one))) {
    const path = `${one}/relationships/${relation.segment}`
    await prover.expect([404], 'linkage that is not offered is a 404', path, { who })
  }
}
