import type { ResourceType } from '#kernel'
import { type App, hasRelatedEndpoint, hasRelationshipEndpoint, type Server } from '#kernel/plugin'
import { type FilterDefinition, filtersOf } from '#plugins/filtering/index.ts'
import { sortsOf } from '#plugins/sorting/index.ts'
import { mediaType } from '../client.ts'
import { type Hidden, read, relationsTo, urlOf, type Way } from './way.ts'

const windowed = {
  accept: `${mediaType}; profile="https://haddowg.github.io/json-api/profiles/relationship-queries/"`,
}

/** Include paths by the URL of a collection that takes them. */
export type Includes = ReadonlyMap<string, readonly string[]>

/** Every way of reading on which hidden rows could show. */
export function readsOf({ servers }: App, hidden: Hidden, includes: Includes): Way[] {
  return servers.flatMap((server) =>
    [...server.types.values()].flatMap((root) => [
      ...(root === hidden.type ? listsOf(server, root) : []),
      ...throughFilters(server, root, hidden),
      ...throughIncludes(server, root, hidden, includes),
      ...throughRelations(server, root, hidden),
    ]),
  )
}

/** The collection itself: whole, counted, in every order, in pages. */
function listsOf(server: Server, type: ResourceType): Way[] {
  const url = urlOf(server, type)
  const sorts = [...sortsOf(type).keys()].flatMap((key) => [`sort=${key}`, `sort=-${key}`])
  const queries = ['', 'withCount=_self_', ...sorts, 'page[size]=1', 'page[size]=1&page[number]=2']
  return queries.map((query) => read(`${url}?${query}`))
}

/** Filters of the type, and of others that look at it, asked for what the hidden rows hold. */
function throughFilters(server: Server, root: ResourceType, { type, values }: Hidden): Way[] {
  const filters = [...filtersOf(root).values()].filter(
    ({ target }) => root === type || typesOnPath(root, target).includes(type),
  )
  return filters.flatMap((filter) =>
    valuesFor(filter, values).map((value) => read(`${urlOf(server, root)}?${queryOf(filter, value)}`)),
  )
}

function valuesFor({ target, properties }: FilterDefinition, values: Hidden['values']): readonly string[] {
  const name = target.split('.').at(-1) as string
  return values.get(name) ?? values.get(properties[0] ?? '') ?? ['true']
}

function queryOf({ key, kind }: FilterDefinition, text: string): string {
  const value = encodeURIComponent(text)
  const isRange = kind === 'range' || kind === 'dateRange'
  return isRange ? `filter[${key}][min]=${value}&filter[${key}][max]=${value}` : `filter[${key}]=${value}`
}

/** Everything that can be included on the way to the type, at every depth, and the sizes of relations. */
function throughIncludes(server: Server, root: ResourceType, { type, visible }: Hidden, includes: Includes): Way[] {
  const url = urlOf(server, root)
  const paths = (includes.get(url) ?? []).filter((path) => typesOnPath(root, path).includes(type))
  const counted = relationsTo(root, type).filter(({ options }) => options.countable)
  const ways = counted.map(({ name }) => read(`${url}?withCount=${name}`))
  if (paths.length === 0) return ways
  const include = `?include=${paths.join()}`
  const [id] = visible.get(root) ?? []
  if (id !== undefined) ways.push(read(urlOf(server, root, id) + include))
  return [...ways, read(url + include), { ...read(url + include), headers: windowed }]
}

/** The URLs of relations that lead to the type, of every row they may begin at. */
function throughRelations(server: Server, root: ResourceType, { type, visible }: Hidden): Way[] {
  return relationsTo(root, type).flatMap((relation) => {
    const { segment, toMany, options } = relation
    const queries = ['', ...(toMany ? ['?page[size]=1'] : []), ...(options.countable ? ['?withCount=_self_'] : [])]
    const places = [
      ...(hasRelatedEndpoint(server, relation) ? [segment] : []),
      ...(hasRelationshipEndpoint(relation) ? [`relationships/${segment}`] : []),
    ]
    return (visible.get(root) ?? []).flatMap((id) =>
      places.flatMap((place) => queries.map((query) => read(`${urlOf(server, root, id)}/${place}${query}`))),
    )
  })
}

/** The types a dotted path of relations leads through; a property at its end leads nowhere. */
function typesOnPath(root: ResourceType, path: string): readonly ResourceType[] {
  const [name = '', ...rest] = path.split('.')
  const relation = root.relations.find((one) => one.name === name)
  return (relation?.targets ?? []).flatMap((target) => [target, ...typesOnPath(target, rest.join('.'))])
}

/** Paths of relations from a type, as deep as a server lets them be. */
export function pathsFrom(type: ResourceType, depth: number): string[] {
  if (depth === 0) return []
  return type.relations.flatMap(({ name, targets }) => [
    name,
    ...new Set(targets.flatMap((target) => pathsFrom(target, depth - 1).map((path) => `${name}.${path}`))),
  ])
}
