import { type FilterDefinition, filtersOf } from '#plugins/filtering/index.ts'
import { sortsOf } from '#plugins/sorting/index.ts'
import type { Prover } from '../prover.ts'
import { type Listed, type Place, pageOf } from '../survey.ts'

const pageLinks = ['first', 'last', 'prev', 'next']

/** Whatever was asked for with a page is asked for with the others. */
export async function pageLinksKeepQuery(place: Place, prover: Prover): Promise<void> {
  const { url, who, type, hasList, rows } = place
  const page = pageOf(place, 1)
  if (!hasList || page === null) return
  const [attribute] = type.attributes.filter(({ hidden, writeOnly }) => hidden === false && writeOnly === false)
  const queries = [
    ...[...sortsOf(type).keys()].flatMap((key) => [`sort=${key}`, `sort=-${key}`]),
    ...[...filtersOf(type).values()].map((filter) => filterQuery(filter, rows, place)),
    ...(attribute ? [`fields[${type.name}]=${attribute.name}`] : []),
  ]
  for (const query of queries) {
    const path = `${url}?${query}&${page}`
    const answer = await prover.ask(path, { who })
    if (answer?.status !== 200) continue
    for (const name of pageLinks) {
      const link: string | undefined = answer.body.links?.[name]
      if (link) keepsQuery(prover, path, name, link, query)
    }
    const next: string | undefined = answer.body.links?.next
    if (next) await prover.expect([200], 'a page link leads to a page', next, { who })
  }
}

function keepsQuery(prover: Prover, path: string, name: string, link: string, query: string): void {
  const { searchParams } = new URL(link)
  const lost = [...new URLSearchParams(query)].filter(([key, value]) => searchParams.get(key) !== value)
  prover.hold(lost.length === 0, 'page links keep the query', `GET ${path}`, `${name} loses ${lost.join(' ')}: ${link}`)
}

/** Asks for what some row has, so that there are pages. */
export function filterQuery(
  { key, kind, target, properties }: FilterDefinition,
  rows: readonly Listed[],
  { type }: Place,
): string {
  const property = properties[0] ?? target
  const attribute = type.attributes.find((one) => one.property === property)
  const held = rows
    .map(({ attributes = {} }) => attributes[attribute?.name ?? ''])
    .find((one) => one !== null && one !== undefined)
  const value = encodeURIComponent(String([held ?? 'true'].flat()[0] ?? 'true'))
  return kind === 'range' || kind === 'dateRange' ? `filter[${key}][min]=${value}` : `filter[${key}]=${value}`
}
