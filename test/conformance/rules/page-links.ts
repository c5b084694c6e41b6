import type { ResourceType } from '#kernel'
import { hasRelatedEndpoint, isPolymorphic } from '#kernel/plugin'
import { type FilterDefinition, findFilters, relationFilters } from '#plugins/filtering/index.ts'
import { findPaginator } from '#plugins/pagination/index.ts'
import { findSorts, relationSorts } from '#plugins/sorting/index.ts'
import type { Prover } from '../prover.ts'
import { pageQuery, type ResourceObject, type ServedType, sizeParameter } from '../served-types.ts'

const pageLinks = ['first', 'last', 'prev', 'next']

/** Page links keep the other query parameters. */
export async function pageLinksKeepQuery(served: ServedType, prover: Prover): Promise<void> {
  for (const { url, page, queries } of [...pagedLists(served), ...relatedLists(served)]) {
    for (const query of queries) await checkLinks(`${url}?${query}&${page}`, query, served, prover)
  }
}

async function checkLinks(path: string, query: string, { principal }: ServedType, prover: Prover): Promise<void> {
  const response = await prover.send(path, { principal })
  if (response?.status !== 200) return
  for (const name of pageLinks) {
    const link: string | undefined = response.body.links?.[name]
    if (link) keepsQuery(prover, path, name, link, query)
  }
  const next: string | undefined = response.body.links?.next
  if (next) await prover.expect([200], 'a page link returns 200', next, { principal })
}

/** A paginated collection and valid queries for it. */
interface Paged {
  readonly url: string
  readonly page: string
  readonly queries: readonly string[]
}

function pagedLists(served: ServedType): Paged[] {
  const { url, type, hasList, rows } = served
  const page = pageQuery(served, 1)
  if (!hasList || page === null) return []
  return [{ url, page, queries: listQueries(type, findSorts(type), findFilters(type), rows) }]
}

/** Returns the related collections of the first row. */
function relatedLists({ server, type, url, rows }: ServedType): Paged[] {
  const [row] = rows
  return type.relations.flatMap((relation) => {
    const page = sizeParameter(findPaginator(relation, server)?.description?.parameters ?? {}, 1)
    const isPaged = relation.toMany && !isPolymorphic(relation) && hasRelatedEndpoint(server, relation)
    if (!row || !isPaged || page === null) return []
    const queries = listQueries(relation.target, relationSorts(relation), relationFilters(relation), [])
    return [{ url: `${url}/${encodeURIComponent(row.id)}/${relation.segment}`, page, queries }]
  })
}

function listQueries(
  type: ResourceType,
  sorts: ReadonlyMap<string, unknown>,
  filters: ReadonlyMap<string, FilterDefinition>,
  rows: readonly ResourceObject[],
): string[] {
  const [attribute] = type.attributes.filter(({ hidden, writeOnly }) => hidden === false && writeOnly === false)
  return [
    ...[...sorts.keys()].flatMap((key) => [`sort=${key}`, `sort=-${key}`]),
    ...[...filters.values()].map((filter) => filterQuery(filter, rows, type)),
    ...(attribute ? [`fields[${type.name}]=${attribute.name}`] : []),
  ]
}

function keepsQuery(prover: Prover, path: string, name: string, link: string, query: string): void {
  const { searchParams } = new URL(link)
  const lost = [...new URLSearchParams(query)].filter(([key, value]) => searchParams.get(key) !== value)
  prover.check(
    lost.length === 0,
    'page links keep the query',
    `GET ${path}`,
    `${name} loses ${lost.join(' ')}: ${link}`,
  )
}

/** Returns a filter with a value of some row, so that there are pages. */
function filterQuery(
  { key, kind, target, properties }: FilterDefinition,
  rows: readonly ResourceObject[],
  type: ResourceType,
): string {
  const property = properties[0] ?? target
  const attribute = type.attributes.find((candidate) => candidate.property === property)
  const held = rows
    .map(({ attributes = {} }) => attributes[attribute?.name ?? ''])
    .find((value) => value !== null && value !== undefined)
  const value = encodeURIComponent(String([held ?? 'true'].flat()[0] ?? 'true'))
  return kind === 'range' || kind === 'dateRange' ? `filter[${key}][min]=${value}` : `filter[${key}]=${value}`
}
