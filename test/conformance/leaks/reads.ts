import type { Relation, ResourceType } from '#kernel'
import { type App, hasRelatedEndpoint, hasRelationshipEndpoint, isPolymorphic, type Server } from '#kernel/plugin'
import { type FilterDefinition, findFilters, relationFilters } from '#plugins/filtering/index.ts'
import { findSorts, relationSorts } from '#plugins/sorting/index.ts'
import { mediaType } from '#test/support/client.ts'
import { relationOptions } from '../plugin-options.ts'
import { expressionsOn } from './expressions.ts'
import { buildUrl, type HiddenRows, historyUrls, type LeakRequest, read, relationsTo } from './leak-request.ts'

const windowed = {
  accept: `${mediaType}; profile="https://haddowg.github.io/json-api/profiles/relationship-queries/"`,
}

/** The number of values that are tried in each filter. */
const mostValues = 3

/** Include paths by the URL of the collection that accepts them. */
export type Includes = ReadonlyMap<string, readonly string[]>

/** Returns every read that could reveal hidden rows. */
export function listReads({ servers }: App, hidden: HiddenRows, includes: Includes): LeakRequest[] {
  return servers.flatMap((server) =>
    [...server.types.values()].flatMap((root) => [
      ...(root === hidden.type ? listCollectionReads(server, root) : []),
      ...throughLinkage(server, root, hidden),
      ...throughFilters(server, root, hidden),
      ...throughIncludes(server, root, hidden, includes),
      ...throughRelations(server, root, hidden),
      ...throughRelatedIncludes(server, root, hidden, includes),
      ...throughHistories(server, root, hidden),
    ]),
  )
}

/** Reads of the collection itself: whole, counted, in every order, in pages. */
function listCollectionReads(server: Server, type: ResourceType): LeakRequest[] {
  const url = buildUrl(server, type)
  const sorts = [...findSorts(type).keys()].flatMap((key) => [`sort=${key}`, `sort=-${key}`])
  const queries = ['', 'withCount=_self_', ...sorts, 'page[size]=1', 'page[size]=1&page[number]=2']
  return [...queries.map((query) => read(`${url}?${query}`)), { method: 'HEAD', path: url }]
}

/** Reads of other resources with their default linkage, and with all linkage. */
function throughLinkage(server: Server, root: ResourceType, { type, visible }: HiddenRows): LeakRequest[] {
  const names = relationsTo(root, type).map(({ name }) => name)
  if (names.length === 0) return []
  const [id] = visible.get(root) ?? []
  const urls = [buildUrl(server, root), ...(id === undefined ? [] : [buildUrl(server, root, id)])]
  return urls.flatMap((url) => [read(url), read(`${url}?fields[${root.name}]=${names.join()}`)])
}

/** Reads of the histories of visible rows that may have been related to the type. */
function throughHistories(server: Server, root: ResourceType, { type, visible }: HiddenRows): LeakRequest[] {
  if (relationsTo(root, type).length === 0) return []
  const urls = (visible.get(root) ?? []).flatMap((id) => historyUrls(server, root, id))
  return urls.map((url) => ({ ...read(url), showsWrites: true }))
}

/** Reads with filters of the type, and of others that lead to it, with values of the hidden rows. */
function throughFilters(server: Server, root: ResourceType, hidden: HiddenRows): LeakRequest[] {
  const filters = [...findFilters(root).values()].filter(
    ({ target, read }) => read || root === hidden.type || typesOnPath(root, target).includes(hidden.type),
  )
  return filters.flatMap((filter) =>
    filterQueries(filter, root, hidden).map((query) => read(`${buildUrl(server, root)}?${query}`)),
  )
}

/** Returns queries of a filter of a type with values of the rows. */
export function filterQueries(filter: FilterDefinition, type: ResourceType, hidden: HiddenRows): string[] {
  const values = filter.read ? expressionsOn(type, hidden) : valuesFor(filter, hidden).slice(0, mostValues)
  return values.map((value) => filterQuery(filter, value))
}

function valuesFor({ kind, target, properties }: FilterDefinition, { ids, values }: HiddenRows): readonly string[] {
  if (kind === 'idIn') return ids
  if (kind === 'has' || kind === 'null') return ['true', 'false']
  const name = target.split('.').at(-1) as string
  const held = values.get(name) ?? values.get(properties[0] ?? '')
  if (held) return held
  return kind === 'hasMatching' || kind === 'custom' ? [...values.values()].flat() : ['true']
}

function filterQuery({ key, kind }: FilterDefinition, text: string): string {
  const value = encodeURIComponent(text)
  const isRange = kind === 'range' || kind === 'dateRange'
  return isRange ? `filter[${key}][min]=${value}&filter[${key}][max]=${value}` : `filter[${key}]=${value}`
}

/** Reads with every include path to the type, and with the counts of relations. */
function throughIncludes(server: Server, root: ResourceType, hidden: HiddenRows, includes: Includes): LeakRequest[] {
  const { type, visible } = hidden
  const url = buildUrl(server, root)
  const paths = pathsTo(root, type, includes.get(url))
  const counted = relationsTo(root, type).filter((relation) => relationOptions(relation).countable)
  const requests = counted.map(({ name }) => read(`${url}?withCount=${name}`))
  if (paths.length === 0) return requests
  const include = `?include=${paths.join()}`
  const [id] = visible.get(root) ?? []
  if (id !== undefined) requests.push(read(buildUrl(server, root, id) + include))
  const queried = relationsTo(root, type).flatMap((relation) => relatedQueries(url, relation, hidden))
  return [...requests, read(url + include), { ...read(url + include), headers: windowed }, ...queried]
}

/** Reads with filters and sorts of a relationship in the query of its parents. */
function relatedQueries(url: string, relation: Relation, hidden: HiddenRows): LeakRequest[] {
  if (!relation.toMany || isPolymorphic(relation)) return []
  const { name } = relation
  const filters = [...relationFilters(relation).values()].flatMap((filter) =>
    filterQueries(filter, relation.target, hidden).slice(0, 1),
  )
  const queries = [
    ...filters.map((query) => query.replaceAll('filter[', `relatedQuery[${name}][filter][`)),
    ...[...relationSorts(relation).keys()].map((key) => `relatedQuery[${name}][sort]=-${key}`),
  ]
  return queries.map((query) => ({ ...read(`${url}?include=${name}&${query}`), headers: windowed }))
}

/** Reads at the URLs of relations to the type, of every visible row. */
function throughRelations(server: Server, root: ResourceType, hidden: HiddenRows): LeakRequest[] {
  const { type, visible } = hidden
  return relationsTo(root, type).flatMap((relation) => {
    const { segment, toMany } = relation
    const queries = [
      '',
      ...(toMany ? ['?page[size]=1'] : []),
      ...(relationOptions(relation).countable ? ['?withCount=_self_'] : []),
    ]
    const endpoints = [
      ...(hasRelatedEndpoint(server, relation) ? [segment] : []),
      ...(hasRelationshipEndpoint(relation) ? [`relationships/${segment}`] : []),
    ]
    return (visible.get(root) ?? []).flatMap((id, index) =>
      endpoints.flatMap((endpoint) =>
        [...queries, ...(index === 0 ? refinements(relation, hidden) : [])].map((query) =>
          read(`${buildUrl(server, root, id)}/${endpoint}${query}`),
        ),
      ),
    )
  })
}

/** Queries with filters and sorts of a related collection and of its linkage. */
function refinements(relation: Relation, hidden: HiddenRows): string[] {
  if (isPolymorphic(relation)) return []
  const filters = [...relationFilters(relation).values()].flatMap((filter) =>
    filterQueries(filter, relation.target, hidden).slice(0, 1),
  )
  const sorts = relation.toMany ? [...relationSorts(relation).keys()].map((key) => `sort=${key}`) : []
  return [...filters, ...sorts].map((query) => `?${query}`)
}

/** Reads of the members of any relation with include paths from there to the type. */
function throughRelatedIncludes(
  server: Server,
  root: ResourceType,
  hidden: HiddenRows,
  includes: Includes,
): LeakRequest[] {
  const [id] = hidden.visible.get(root) ?? []
  if (id === undefined) return []
  return root.relations.flatMap((relation) => {
    if (isPolymorphic(relation) || !hasRelatedEndpoint(server, relation)) return []
    const paths = pathsTo(relation.target, hidden.type, includes.get(buildUrl(server, relation.target)))
    return paths.length === 0 ? [] : [read(`${buildUrl(server, root, id)}/${relation.segment}?include=${paths.join()}`)]
  })
}

function pathsTo(root: ResourceType, type: ResourceType, paths: readonly string[] = []): readonly string[] {
  return paths.filter((path) => typesOnPath(root, path).includes(type))
}

/** Returns the types along a dotted path of relations; a property at its end has no type. */
function typesOnPath(root: ResourceType, path: string): readonly ResourceType[] {
  const [name = '', ...rest] = path.split('.')
  const relation = root.relations.find((candidate) => candidate.name === name)
  return (relation?.targets ?? []).flatMap((target) => [target, ...typesOnPath(target, rest.join('.'))])
}

/** Returns the include paths from a type, down to the maximum depth. */
export function pathsFrom(type: ResourceType, depth: number): string[] {
  if (depth === 0) return []
  return type.relations.flatMap(({ name, targets }) => [
    name,
    ...new Set(targets.flatMap((target) => pathsFrom(target, depth - 1).map((path) => `${name}.${path}`))),
  ])
}
