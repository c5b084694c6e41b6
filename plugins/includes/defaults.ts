import { getOrCreate, type Member, type Relation, type ResourceType, type Row, type Server } from '#kernel/plugin'
import type { Include, IncludeNode } from '#kernel/queries'
import { findVisibleRelation } from '#query'
import { findMaxDepth, isIncludable } from './paths.ts'

declare module '#kernel/plugin' {
  interface Server {
    /** The default includes of types, as far as they were requested. */
    defaultIncludes?: Map<ResourceType, Include>
  }
}

/** Returns the default includes of primary data, which may be of several types. Cached per server and type. */
export function defaultIncludes(types: readonly ResourceType[], server: Server): Include {
  server.defaultIncludes ??= new Map()
  const { defaultIncludes: cached } = server
  return join(types.map((type) => getOrCreate(cached, type, () => expandType(type, server))))
}

/** Expands the defaults of the type and of the included types, down to the maximum depth. */
function expandType(type: ResourceType, server: Server): Include {
  const depth = findMaxDepth(type, server)
  return expand(type, server, depth > 0 ? depth : Number.POSITIVE_INFINITY, [])
}

/** Stops at a relation that is already on the path (`trail`), because unlimited depth would recurse forever. */
function expand(type: ResourceType, server: Server, depth: number, trail: readonly Relation[]): Include {
  const { defaultIncludes = [] } = type.declaration
  if (depth === 0) return []
  if (typeof defaultIncludes !== 'function') return findNodes(type, defaultIncludes, server, depth, trail)
  const chooseNames = defaultIncludes as unknown as (record: Row) => readonly string[]
  return (members) =>
    [...parentsByName(members, type, chooseNames)].flatMap(([name, parents]) =>
      findNodes(type, [name], server, depth, trail).map((node) => ({ ...node, parents })),
    )
}

function expandAll(types: readonly ResourceType[], server: Server, depth: number, trail: readonly Relation[]): Include {
  return join(types.map((type) => expand(type, server, depth, trail)))
}

function join(includes: readonly Include[]): Include {
  if (includes.length === 1) return includes[0] as Include
  if (includes.every((include) => typeof include !== 'function')) return includes.flat()
  return (members) => includes.flatMap((include) => (typeof include === 'function' ? include(members) : include))
}

function findNodes(
  type: ResourceType,
  names: readonly string[],
  server: Server,
  depth: number,
  trail: readonly Relation[],
): readonly IncludeNode[] {
  return names.flatMap((name) => {
    const relation = findVisibleRelation(type, name, null)
    if (!relation || trail.includes(relation)) return []
    if (!isIncludable(relation, null, server)) return []
    return [{ relation, children: expandAll(relation.targets, server, depth - 1, [...trail, relation]) }]
  })
}

function parentsByName(
  members: readonly Member[],
  type: ResourceType,
  namesOf: (record: Row) => readonly string[],
): Map<string, Set<Row>> {
  const parents = new Map<string, Set<Row>>()
  for (const member of members) {
    if (member.type !== type) continue
    for (const name of namesOf(member.record)) parents.set(name, (parents.get(name) ?? new Set()).add(member.record))
  }
  return parents
}
