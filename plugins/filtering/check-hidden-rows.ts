import type { Registry, Relation, ResourceType } from '#kernel/plugin'
import { filtersOf, relationFilters } from './compile-filters.ts'
import type { FilterDefinition } from './declare/definition.ts'
import { relationNamed } from './targets.ts'

/** Refuses filters through relations and types whose rows are hidden one by one: their answers would tell of them. */
export function checkHops({ types, fail }: Registry): void {
  for (const type of types.values()) {
    for (const filter of filtersOf(type).values()) {
      for (const fault of hopFaults(filter, type)) fail(type, 'filters', fault)
    }
    for (const relation of type.relations) {
      const own = relation.targets.flatMap((target) => [...filtersOf(target).values()])
      for (const filter of relationFilters(relation).values()) {
        if (own.includes(filter)) continue
        for (const fault of hopFaults(filter, relation.target)) fail(type, relation.name, fault)
      }
    }
  }
}

function hopFaults(filter: FilterDefinition, type: ResourceType, limited = filter.availableWhen !== null): string[] {
  const faults = hopsOf(filter, type).flatMap(({ name, owner, targets, guarded }) => {
    const hidden = targets.find(({ leavesOutRows }) => leavesOutRows)
    if (hidden) return [`leads through '${hidden.name}', whose policy sets rowsByView.`]
    if (guarded && !limited)
      return [`leads through '${owner.name}.${name}', which security() protects: add availableWhen().`]
    return []
  })
  const ofChildren = filter.children.flatMap((child) => hopFaults(child, type, limited || child.availableWhen !== null))
  return [...faults.map((fault) => `The filter '${filter.key}' ${fault}`), ...ofChildren]
}

/** The relations a filter leads through. */
function hopsOf({ kind, target }: FilterDefinition, type: ResourceType): readonly Relation[] {
  const hops: Relation[] = []
  let from = type
  for (const name of relationNames(kind, target)) {
    const relation = relationNamed(from, name)
    if (!relation) break
    hops.push(relation)
    from = relation.target
  }
  return hops
}

function relationNames(kind: FilterDefinition['kind'], target: string): readonly string[] {
  if (kind === 'through') return target.split('.').slice(0, -1)
  if (kind === 'idIn') return target === 'id' ? [] : [target]
  return kind === 'has' || kind === 'hasMatching' ? [target] : []
}
