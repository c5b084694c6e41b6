import { hasRelatedEndpoint, hasRelationshipEndpoint } from '#kernel/plugin'
import { buildUrl } from '#test/conformance/leaks/leak-request.ts'
import type { Prover } from '../prover.ts'
import { allPrincipals, identifiersIn, type ServedType } from '../served-types.ts'

const mostRows = 5

/** A row that is returned through a relation is also returned at its own URL. */
export async function relatedIsReadable(served: ServedType, prover: Prover): Promise<void> {
  const { server, type, url, rows } = served
  for (const principal of allPrincipals) {
    for (const { id } of rows.slice(0, mostRows)) {
      const resourceUrl = `${url}/${encodeURIComponent(id)}`
      for (const relation of type.relations) {
        const targets = [
          ...(hasRelatedEndpoint(server, relation) ? [`${resourceUrl}/${relation.segment}`] : []),
          ...(hasRelationshipEndpoint(relation) ? [`${resourceUrl}/relationships/${relation.segment}`] : []),
          ...(served.hasOne ? [`${resourceUrl}?include=${relation.name}`] : []),
        ]
        for (const target of targets) await checkMembers(served, prover, target, principal)
      }
    }
  }
}

async function checkMembers(
  { server }: ServedType,
  prover: Prover,
  target: string,
  principal: string | null,
): Promise<void> {
  const response = await prover.send(target, { principal })
  if (response?.status !== 200) return
  const shown = new Map(identifiersIn(response.body).map((row) => [`${row.type} ${row.id}`, row]))
  for (const row of shown.values()) {
    const type = server.types.get(row.type)
    if (!type?.operations.has('FetchOne')) continue
    const status = await ownStatus(prover, buildUrl(server, type, row.id), principal)
    const isHidden = status !== undefined && [401, 403, 404].includes(status)
    const message = `shows ${row.type} ${row.id}, which is a ${status} by its own URL for ${principal ?? 'an anonymous client'}`
    prover.check(!isHidden, 'a related read returns only rows that their own URL returns', `GET ${target}`, message)
  }
}

const statusCache = new WeakMap<Prover, Map<string, number | undefined>>()

async function ownStatus(prover: Prover, url: string, principal: string | null): Promise<number | undefined> {
  const statuses = statusCache.get(prover) ?? new Map<string, number | undefined>()
  statusCache.set(prover, statuses)
  const key = `${principal} ${url}`
  if (!statuses.has(key)) statuses.set(key, (await prover.send(url, { principal }))?.status)
  return statuses.get(key)
}
