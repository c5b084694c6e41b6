import type { Relation } from '#kernel'
import { hasRelationshipEndpoint, isPolymorphic } from '#kernel/plugin'
import { filtersOf } from '#plugins/filtering/index.ts'
import { withoutMembers } from '#test/support/leaks/members.ts'
import { filterQueries } from '#test/support/leaks/reads.ts'
import { sendAll } from '#test/support/leaks/replies.ts'
import { read, type Way } from '#test/support/leaks/way.ts'
import { accessOf, isDenial, valuesOf } from '../access.ts'
import type { Prover } from '../prover.ts'
import type { Place } from '../survey.ts'

const rule = 'no answer depends on a relation that cannot be read at its own URL'

/** The members of a relation that is a 401, 403 or 404 at its own URL cannot be found out by filters, includes or counts. */
export async function deniedRelationsStayHidden(place: Place, prover: Prover): Promise<void> {
  const { type } = place
  if (type.isStandalone) return
  const guarded = type.relations.filter(({ options }) => options.security?.read !== undefined)
  for (const relation of guarded.filter(hasRelationshipEndpoint)) {
    for (const who of prover.principals) await checkRelation(place, prover, relation, who)
  }
}

async function checkRelation(place: Place, prover: Prover, relation: Relation, who: string | null): Promise<void> {
  const { type, url } = place
  const { ids, reads } = await accessOf(prover, type, who)
  const shown = ids.filter((id) => !isDenial(reads.get(id)))
  const paths = shown.map((id) => read(`${url}/${encodeURIComponent(id)}/relationships/${relation.segment}`))
  const statuses = (await sendAll(prover.url, paths, who)).map(({ status }) => status)
  const denied = shown.filter((_, index) => isDenial(statuses[index]))
  if (denied.length === 0) return
  const ways = await waysThrough(place, prover, relation, denied)
  const before = await sendAll(prover.url, ways, who)
  const keys = denied.map((id) => type.codec.decode(id))
  const after = await withoutMembers(prover.app, relation, keys, () => sendAll(prover.url, ways, who))
  for (const [index, { path }] of ways.entries()) {
    const isSame = before[index]?.status === after[index]?.status && before[index]?.text === after[index]?.text
    const message = `as ${who ?? 'an anonymous client'}: differs without the members of '${relation.name}'`
    prover.hold(isSame, rule, `GET ${path}`, message)
  }
}

/** With nothing shown but the relation, because another field may show the same members on purpose. */
async function waysThrough(
  { type, url, hasList, hasOne }: Place,
  prover: Prover,
  relation: Relation,
  ids: readonly string[],
): Promise<Way[]> {
  const { name, target, options } = relation
  const fields = `fields[${type.name}]=${name}`
  const queries = ['', `include=${name}`, ...(options.countable ? [`withCount=${name}`] : [])]
  const all = isPolymorphic(relation) ? [] : (await accessOf(prover, target, null)).ids
  const values = isPolymorphic(relation) ? new Map() : await valuesOf(prover, target, all)
  const through = [...filtersOf(type).values()].filter((filter) => filter.target.split('.')[0] === name)
  const filters = through.flatMap((filter) =>
    filterQueries(filter, { type: target, ids: all, values, visible: new Map() }),
  )
  const lists = hasList ? [...queries, ...filters].map((query) => `${url}?${fields}&${query}`) : []
  const ones = hasOne ? ids.slice(0, 1).flatMap((id) => queries.map((query) => `${url}/${id}?${fields}&${query}`)) : []
  return [...lists, ...ones].map((path) => read(path.replace(/&$/, '')))
}
