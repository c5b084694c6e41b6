import { hasRelatedEndpoint, hasRelationshipEndpoint } from '#kernel/plugin'
import type { Prover } from '../prover.ts'
import type { Place } from '../survey.ts'

const mostRows = 5
const denied = [401, 403, 404]

/** Every URL of a type answers, as its document says; HEAD as GET does, and a verb it does not take with a 405. */
export async function urlsAnswer(
  { server, type, url, who, hasList, hasOne, rows }: Place,
  prover: Prover,
): Promise<void> {
  const first = rows[0] && `${url}/${encodeURIComponent(rows[0].id)}`
  for (const target of [...(hasList ? [url] : []), ...(hasOne && first ? [first] : [])]) {
    const shown = await prover.expect([200, 303, ...denied], 'a URL of a type answers', target, { who })
    await prover.expect([shown?.status ?? 200], 'HEAD answers as GET does', target, { who, method: 'HEAD' })
    await prover.expect([405], 'a verb that a URL does not take is a 405', target, { who, method: 'PUT' })
    const options = await prover.expect([204], 'OPTIONS tells the verbs', target, { who, method: 'OPTIONS' })
    prover.hold(options?.headers.has('allow') ?? false, 'OPTIONS tells the verbs', `OPTIONS ${target}`, 'no Allow')
  }
  for (const { id } of rows.slice(0, mostRows)) {
    const one = `${url}/${encodeURIComponent(id)}`
    for (const relation of type.relations) {
      const rule = 'a URL of a relation answers'
      if (hasRelatedEndpoint(server, relation)) {
        await prover.expect([200, ...denied], rule, `${one}/${relation.segment}`, { who })
      }
      if (hasRelationshipEndpoint(relation)) {
        await prover.expect([200, ...denied], rule, `${one}/relationships/${relation.segment}`, { who })
      }
    }
  }
}
