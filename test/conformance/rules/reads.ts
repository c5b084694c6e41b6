import { hasRelatedEndpoint, hasRelationshipEndpoint } from '#kernel/plugin'
import type { Prover } from '../prover.ts'
import type { ServedType } from '../served-types.ts'

const mostRows = 5
const denied = [401, 403, 404]

/** Every URL of a type returns a described status; HEAD as GET does, and a method that it does not allow returns 405. */
export async function urlsReturnDescribedStatuses(
  { server, type, url, principal, hasList, hasOne, rows }: ServedType,
  prover: Prover,
): Promise<void> {
  const first = rows[0] && `${url}/${encodeURIComponent(rows[0].id)}`
  for (const target of [...(hasList ? [url] : []), ...(hasOne && first ? [first] : [])]) {
    const shown = await prover.expect([200, 303, ...denied], 'a URL of a type returns a success or a denial', target, {
      principal,
    })
    await prover.expect([shown?.status ?? 200], 'HEAD returns the status of GET', target, { principal, method: 'HEAD' })
    await prover.expect([405], 'a method that a URL does not allow returns 405', target, { principal, method: 'PUT' })
    const options = await prover.expect([204], 'OPTIONS returns Allow', target, { principal, method: 'OPTIONS' })
    prover.check(options?.headers.has('allow') ?? false, 'OPTIONS returns Allow', `OPTIONS ${target}`, 'no Allow')
  }
  for (const { id } of rows.slice(0, mostRows)) {
    const resourceUrl = `${url}/${encodeURIComponent(id)}`
    for (const relation of type.relations) {
      const rule = 'a URL of a relation returns a success or a denial'
      if (hasRelatedEndpoint(server, relation)) {
        await prover.expect([200, ...denied], rule, `${resourceUrl}/${relation.segment}`, { principal })
      }
      if (hasRelationshipEndpoint(relation)) {
        await prover.expect([200, ...denied], rule, `${resourceUrl}/relationships/${relation.segment}`, { principal })
      }
    }
  }
}
