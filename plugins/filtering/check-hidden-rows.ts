import type { Registry, Relation, ResourceType } from '#kernel/plugin'
import { findFilters, relationFilters } from './compile-filters.ts'
import type { FilterDefinition } from './declare/definition.ts'
import { relationNamed } from './targets.ts'

/**
 * Refuses to boot with filters that read rows which a policy hides row by row: a scope in the statement does not exclude
 * such rows, so the result of the filter would reveal them.
 */
export function checkHiddenRows({ types, fail }: Registry): void {
  for (const type of types.values()) {
    for (const filter of findFilters(type).values()) {
      for (const fault of hiddenRowFaults(filter, type)) fail(type, 'filters', fault)
    }
    for (const relation of type.relations) {
      const inherited = relation.targets.flatMap((target) => [...findFilters(target).values()])
      for (const filter of relationFilters(relation).values()) {
        if (inherited.includes(filter)) continue
        for (const fault of hiddenRowFaults(filter, relation.target)) fail(type, relation.name, fault)
      }
    }
  }
}

function hiddenRowFaults(
  filter: FilterDefinition,
  type: ResourceType,
  isLimited = filter.availableWhen !== null,
): string[] {
  const faults = relationsRead(filter, type).flatMap(({ name, owner, targets, hasReadAbility }) => {
    const hidden = targets.find(({ rowFilterReason }) => rowFilterReason)
    if (hidden) return [`reads '${hidden.name}', whose ${hidden.rowFilterReason}.`]
    return hasReadAbility && !isLimited
      ? [`reads '${owner.name}.${name}', which security() protects: add availableWhen().`]
      : []
  })
  const childFaults = filter.children.flatMap((child) =>
    hiddenRowFaults(child, type, isLimited || child.availableWhen !== null),
  )
  return [...faults.map((fault) => `The filter '${filter.key}' ${fault}`), ...childFaults]
}

/** Returns the relations on the path of a filter. */
function relationsRead({ kind, target }: FilterDefinition, type: ResourceType): readonly Relation[] {
  const relations: Relation[] = []
  let parent = type
  for (const name of relationNames(kind, target)) {
    const relation = relationNamed(parent, name)
    if (!relation) break
    relations.push(relation)
    parent = relation.target
  }
  return relations
}

function relationNames(kind: FilterDefinition['kind'], target: string): readonly string[] {
  if (kind === 'through') return target.split('.').slice(0, -1)
  if (kind === 'idIn') return target === 'id' ? [] : [target]
  return kind === 'has' || kind === 'hasMatching' ? [target] : []
}
