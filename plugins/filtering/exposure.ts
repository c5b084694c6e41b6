import { hidingDeclaration, type ResourceType } from '#kernel/plugin'
import { always, type Exposure, exposureOfField, findExposure, type IsExposed } from '#query'
import type { FilterOwner } from './declare/check-declaration.ts'
import type { FilterDefinition } from './declare/definition.ts'
import { pivotField, relationNamed } from './targets.ts'

/** Returns a test that is false if the requester may not see a field the filter reads: filtering by a value reveals it. */
export function exposureTest(filter: FilterDefinition, owner: FilterOwner): IsExposed {
  const tests = findExposures(filter, owner)
    .map(({ isExposed }) => isExposed)
    .filter((test) => test !== always)
  return tests.length > 0 ? (visibility) => tests.every((test) => test(visibility)) : always
}

/** Returns faults for fields the filter reads that are hidden from all requesters, or hidden by row. */
export function hiddenTargets(filter: FilterDefinition, owner: FilterOwner): string[] {
  return findExposures(filter, owner).flatMap(({ hiddenBy }) =>
    hiddenBy ? [`reads '${hiddenBy.field}', which is ${hiddenBy.modifier}. Use hiddenFor(fn) instead.`] : [],
  )
}

function findExposures(
  { kind, target, children, properties }: FilterDefinition,
  owner: FilterOwner,
): readonly Exposure[] {
  const { type } = owner
  switch (kind) {
    case 'where':
    case 'in':
    case 'null':
    case 'range':
    case 'dateRange':
      return [propertyExposure(target, owner)]
    case 'idIn':
      return target === 'id' ? [] : relationExposures(target, type)
    case 'has':
    case 'hasMatching':
      return relationExposures(target, type)
    case 'through':
      return pathExposures(target.split('.'), type)
    case 'custom':
      return properties.map((property) => findExposure(type.attributes, property))
    default:
      return children.flatMap((child) => findExposures(child, owner))
  }
}

function propertyExposure(target: string, { type, relation }: FilterOwner): Exposure {
  const pivot = pivotField(target)
  if (pivot === null) return findExposure(type.attributes, target)
  const fields = relation?.pivotFields ?? []
  const property = fields.find(({ name }) => name === pivot)?.property
  return findExposure(fields, property ?? pivot)
}

function relationExposures(name: string, type: ResourceType): readonly Exposure[] {
  const relation = relationNamed(type, name)
  if (!relation) return []
  const modifier = hidingDeclaration(relation)
  return [{ hiddenBy: modifier ? { field: relation.name, modifier } : null, isExposed: exposureOfField(relation) }]
}

/** Returns the exposure of every relation of a path, and of the property at its end. */
function pathExposures([name = '', ...rest]: readonly string[], type: ResourceType): readonly Exposure[] {
  if (rest.length === 0) return [findExposure(type.attributes, name)]
  const next = relationNamed(type, name)?.target
  return [...relationExposures(name, type), ...(next ? pathExposures(rest, next) : [])]
}
