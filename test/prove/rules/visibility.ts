import { hasRelatedEndpoint, hasRelationshipEndpoint } from '#kernel/plugin'
import { urlOf } from '#test/support/leaks/way.ts'
import type { Prover } from '../prover.ts'
import { everybody, identifiersIn, type Place } from '../survey.ts'

const mostRows = 5

/** Whoever is shown a row through a relation is shown it by its own URL. */
export async function relatedIsReadable(place: Place, prover: Prover): Promise<void> {
  const { server, type, url, rows } = place
  for (const who of everybody) {
    for (const { id } of rows.slice(0, mostRows)) {
      const one = `${url}/${encodeURIComponent(id)}`
      for (const relation of type.relations) {
        const targets = [
          ...(hasRelatedEndpoint(server, relation) ? [`${one}/${relation.segment}`] : []),
          ...(hasRelationshipEndpoint(relation) ? [`${one}/relationships/${relation.segment}`] : []),
          ...(place.hasOne ? [`${one}?include=${relation.name}`] : []),
        ]
        for (const target of targets) await checkMembers(place, prover, target, who)
      }
    }
  }
}

async function checkMembers({ server }: Place, prover: Prover, target: string, who: string | null): Promise<void> {
  const answer = await prover.ask(target, { who })
  if (answer?.status !== 200) return
  const shown = new Map(identifiersIn(answer.body).map((row) => [`${row.type} ${row.id}`, row]))
  for (const row of shown.values()) {
    const type = server.types.get(row.type)
    if (!type?.operations.has('FetchOne')) continue
    const status = await ownStatus(prover, urlOf(server, type, row.id), who)
    const isHidden = status !== undefined && [401, 403, 404].includes(status)
    const message = `shows ${row.type} ${row.id}, which is a ${status} by its own URL for ${who ?? 'an anonymous client'}`
    prover.hold(!isHidden, 'a related read shows only what a primary read shows', `GET ${target}`, message)
  }
}

const known = new WeakMap<Prover, Map<string, number | undefined>>()

async function ownStatus(prover: Prover, url: string, who: string | null): Promise<number | undefined> {
  const statuses = known.get(prover) ?? new Map<string, number | undefined>()
  known.set(prover, statuses)
  const key = `${who} ${url}`
  if (!statuses.has(key)) statuses.set(key, (await prover.ask(url, { who }))?.status)
  return statuses.get(key)
}
