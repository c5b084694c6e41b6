import type { Operation } from '../model/operation.ts'
import type { IncludeNode } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'

/**
 * Computes the scopes of all types that a read of several statements shows, before the first statement, so that policies
 * do not run while a snapshot is open. An error of a policy is thrown where the scope is used.
 */
export async function resolveScopes({ kind, target, query, context }: Operation): Promise<void> {
  const types = new Set<ResourceType>(kind === 'FetchOne' ? [] : query.types)
  if (typeof query.include !== 'function') addTargets(query.include, types)
  const scopes = [...types].map((type) => context.visibleScope(type))
  await Promise.allSettled(kind === 'FetchCollection' ? scopes : [...scopes, context.scope(target.type)])
}

function addTargets(nodes: readonly IncludeNode[], types: Set<ResourceType>): void {
  for (const { relation, children } of nodes) {
    for (const target of relation.targets) types.add(target)
    if (typeof children !== 'function') addTargets(children, types)
  }
}
