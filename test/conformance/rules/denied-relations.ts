import type { Relation } from '#kernel'
import { hasRelationshipEndpoint, isPolymorphic } from '#kernel/plugin'
import { findFilters } from '#plugins/filtering/index.ts'
import { type LeakRequest, read } from '#test/conformance/leaks/leak-request.ts'
import { withoutMembers } from '#test/conformance/leaks/members.ts'
import { filterQueries } from '#test/conformance/leaks/reads.ts'
import { sendAll } from '#test/conformance/leaks/replies.ts'
import { findAccess, isDenial, readStoredValues } from '../access.ts'
import { relationOptions } from '../plugin-options.ts'
import type { Prover } from '../prover.ts'
import type { ServedType } from '../served-types.ts'

const rule = 'no response depends on a relation that cannot be read at its own URL'

/** Filters, includes and counts do not reveal members of a relation that returns 401, 403 or 404 at its own URL. */
export async function deniedRelationsStayHidden(served: ServedType, prover: Prover): Promise<void> {
  const { type } = served
  if (type.isStandalone) return
  const secured = type.relations.filter(({ options }) => options.security?.read !== undefined)
  for (const relation of secured.filter(hasRelationshipEndpoint)) {
    for (const principal of prover.principals) await checkRelation(served, prover, relation, principal)
  }
}

async function checkRelation(
  served: ServedType,
  prover: Prover,
  relation: Relation,
  principal: string | null,
): Promise<void> {
  const { type, url } = served
  const { ids, reads } = await findAccess(prover, type, principal)
  const shown = ids.filter((id) => !isDenial(reads.get(id)))
  const paths = shown.map((id) => read(`${url}/${encodeURIComponent(id)}/relationships/${relation.segment}`))
  const statuses = (await sendAll(prover.url, paths, principal)).map(({ status }) => status)
  const denied = shown.filter((_, index) => isDenial(statuses[index]))
  if (denied.length === 0) return
  const requests = await requestsThrough(served, prover, relation, denied)
  const before = await sendAll(prover.url, requests, principal)
  const keys = denied.map((id) => type.codec.decode(id))
  const after = await withoutMembers(prover.app, relation, keys, () => sendAll(prover.url, requests, principal))
  for (const [index, { path }] of requests.entries()) {
    const isSame = before[index]?.status === after[index]?.status && before[index]?.text === after[index]?.text
    const message = `as ${principal ?? 'an anonymous client'}: differs without the members of '${relation.name}'`
    prover.check(isSame, rule, `GET ${path}`, message)
  }
}

/** Selects only the relation, because another field may show the same members on purpose. */
async function requestsThrough(
  { type, url, hasList, hasOne }: ServedType,
  prover: Prover,
  relation: Relation,
  ids: readonly string[],
): Promise<LeakRequest[]> {
  const { name, target } = relation
  const fields = `fields[${type.name}]=${name}`
  const queries = ['', `include=${name}`, ...(relationOptions(relation).countable ? [`withCount=${name}`] : [])]
  const all = isPolymorphic(relation) ? [] : (await findAccess(prover, target, null)).ids
  const values = isPolymorphic(relation) ? new Map() : await readStoredValues(prover, target, all)
  const through = [...findFilters(type).values()].filter((filter) => filter.target.split('.')[0] === name)
  const filters = through.flatMap((filter) =>
    filterQueries(filter, type, { type: target, ids: all, values, visible: new Map() }),
  )
  const lists = hasList ? [...queries, ...filters].map((query) => `${url}?${fields}&${query}`) : []
  const ones = hasOne ? ids.slice(0, 1).flatMap((id) => queries.map((query) => `${url}/${id}?${fields}&${query}`)) : []
  return [...lists, ...ones].map((path) => read(path.replace(/&$/, '')))
}
