import { developmentTokens } from '#app/plugins.ts'
import type { ResourceType } from '#kernel'
import type { App, Server } from '#kernel/plugin'
import { findPaginatorForType } from '#plugins/pagination/index.ts'
import { buildUrl } from '#test/conformance/leaks/leak-request.ts'
import type { Prover } from './prover.ts'

/** A type on a server, with the principal that sees most of its rows, and these rows. */
export interface ServedType {
  readonly server: Server
  readonly type: ResourceType
  readonly url: string
  readonly principal: string | null
  readonly rows: readonly ResourceObject[]
  readonly hasList: boolean
  readonly hasOne: boolean
}

export interface ResourceObject {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

export const allPrincipals: readonly (string | null)[] = [null, ...Object.keys(developmentTokens)]

/** Reads every collection as every principal; for types without a collection it uses the rows that others link to. */
export async function findServedTypes({ servers }: App, prover: Prover): Promise<ServedType[]> {
  const linked = new Map<string, ResourceObject>()
  const servedTypes: ServedType[] = []
  for (const server of servers) {
    for (const type of server.types.values()) {
      prover.startType(type.name)
      const hasList = type.operations.has('FetchCollection')
      const seen = hasList
        ? await Promise.all(allPrincipals.map((principal) => readCollection(prover, buildUrl(server, type), principal)))
        : []
      for (const row of seen.flatMap(({ all }) => all)) linked.set(`${row.type} ${row.id}`, row)
      const best = seen.toSorted((one, other) => other.rows.length - one.rows.length)[0]
      const served = { server, type, url: buildUrl(server, type), hasList, hasOne: type.operations.has('FetchOne') }
      servedTypes.push({ ...served, principal: best?.principal ?? null, rows: best?.rows ?? [] })
    }
  }
  return servedTypes.map((served) =>
    served.rows.length > 0 ? served : { ...served, rows: rowsOfType(served.type, linked) },
  )
}

interface CollectionRead {
  readonly principal: string | null
  readonly rows: readonly ResourceObject[]
  /** The rows and all linked resources. */
  readonly all: readonly ResourceObject[]
}

async function readCollection(prover: Prover, url: string, principal: string | null): Promise<CollectionRead> {
  const response = await prover.send(url, { principal })
  const rows: ResourceObject[] =
    response?.status === 200 && Array.isArray(response.body?.data) ? response.body.data : []
  return { principal, rows, all: response?.status === 200 ? identifiersIn(response.body) : [] }
}

export function identifiersIn(value: unknown): ResourceObject[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, id } = value as Partial<ResourceObject>
  const own = typeof type === 'string' && typeof id === 'string' ? [value as ResourceObject] : []
  return [...own, ...Object.values(value).flatMap(identifiersIn)]
}

function rowsOfType({ name }: ResourceType, linked: ReadonlyMap<string, ResourceObject>): ResourceObject[] {
  return [...linked.values()].filter(({ type }) => type === name)
}

/** Returns `page[size]=1` with the parameter of the paginator; null when it has no size. */
export function pageQuery(served: ServedType, size: number): string | null {
  return sizeParameter(findPaginatorForType(served.type, served.server)?.description?.parameters ?? {}, size)
}

export function sizeParameter(parameters: object, size: number): string | null {
  const name = ['size', 'limit'].find((candidate) => candidate in parameters)
  return name ? `page[${name}]=${size}` : null
}
