import type { Operation } from '../model/operation.ts'
import type { IncludeNode, Query } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { chainTypes } from '../model/selection.ts'
import { shownFields } from '../model/shown-fields.ts'

/**
 * Computes the scopes of all types that a read of several statements shows, before the first statement, so that policies
 * do not run while a snapshot is open. An error of a policy is thrown where the scope is used.
 */
export async function resolveScopes({ kind, query, context }: Operation): Promise<void> {
  const included = typeof query.include === 'function' ? [] : targetsOf(query.include)
  const fromRows = [...query.types, ...included].flatMap((type) => typesInRow(type, query))
  const counted = [...query.counts].flatMap(({ targets }) => targets)
  const types = new Set([...(kind === 'FetchOne' ? [] : query.types), ...included, ...fromRows, ...counted])
  await Promise.allSettled([...types].map((type) => context.visibleScope(type)))
}

function targetsOf(nodes: readonly IncludeNode[]): ResourceType[] {
  return nodes.flatMap(({ relation, children }) => [
    ...relation.targets,
    ...(typeof children === 'function' ? [] : targetsOf(children)),
  ])
}

/** The types of the rows that are read to render a resource: of its linkage and of its chained attributes. */
function typesInRow(type: ResourceType, query: Query): ResourceType[] {
  const { alwaysLinked, chained } = shownFields(type, query)
  return [
    ...alwaysLinked.flatMap(({ targets }) => targets),
    ...chained.flatMap((attribute) => chainTypes(type, attribute)),
  ]
}
