import { developmentTokens } from '#app/plugins.ts'
import type { ResourceType } from '#kernel'
import type { App, Server } from '#kernel/plugin'
import { paginatorOfType } from '#plugins/pagination/index.ts'
import { urlOf } from '#test/support/leaks/way.ts'
import type { Prover } from './prover.ts'

/** A type on a server, who sees most of it, and what they see. */
export interface Place {
  readonly server: Server
  readonly type: ResourceType
  readonly url: string
  readonly who: string | null
  readonly rows: readonly Listed[]
  readonly hasList: boolean
  readonly hasOne: boolean
}

export interface Listed {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

export const everybody: readonly (string | null)[] = [null, ...Object.keys(developmentTokens)]

/** Looks at every collection as everybody; of types that are never listed, at what others link to. */
export async function survey({ servers }: App, prover: Prover): Promise<Place[]> {
  const linked = new Map<string, Listed>()
  const places: Place[] = []
  for (const server of servers) {
    for (const type of server.types.values()) {
      prover.begin(type.name)
      const hasList = type.operations.has('FetchCollection')
      const seen = hasList ? await Promise.all(everybody.map((who) => look(prover, urlOf(server, type), who))) : []
      for (const row of seen.flatMap(({ all }) => all)) linked.set(`${row.type} ${row.id}`, row)
      const best = seen.toSorted((one, other) => other.rows.length - one.rows.length)[0]
      const place = { server, type, url: urlOf(server, type), hasList, hasOne: type.operations.has('FetchOne') }
      places.push({ ...place, who: best?.who ?? null, rows: best?.rows ?? [] })
    }
  }
  return places.map((place) => (place.rows.length > 0 ? place : { ...place, rows: of(place.type, linked) }))
}

interface Look {
  readonly who: string | null
  readonly rows: readonly Listed[]
  /** With those they link to. */
  readonly all: readonly Listed[]
}

async function look(prover: Prover, url: string, who: string | null): Promise<Look> {
  const answer = await prover.ask(url, { who })
  const rows: Listed[] = answer?.status === 200 && Array.isArray(answer.body?.data) ? answer.body.data : []
  return { who, rows, all: answer?.status === 200 ? identifiersIn(answer.body) : [] }
}

export function identifiersIn(value: unknown): Listed[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, id } = value as Partial<Listed>
  const own = typeof type === 'string' && typeof id === 'string' ? [value as Listed] : []
  return [...own, ...Object.values(value).flatMap(identifiersIn)]
}

function of({ name }: ResourceType, linked: ReadonlyMap<string, Listed>): Listed[] {
  return [...linked.values()].filter(({ type }) => type === name)
}

/** `page[size]=1` in the words of the paginator; null when it takes no size. */
export function pageOf(place: Place, size: number): string | null {
  return sizeParameter(paginatorOfType(place.type, place.server)?.description?.parameters ?? {}, size)
}

export function sizeParameter(parameters: object, size: number): string | null {
  const name = ['size', 'limit'].find((one) => one in parameters)
  return name ? `page[${name}]=${size}` : null
}
