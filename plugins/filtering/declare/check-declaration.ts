import { didYouMean } from '#kernel/errors'
import { isPolymorphic, type Registry, type Relation, type ResourceType } from '#kernel/plugin'
import { scalarNames } from '#kernel/queries'
import { hiddenTargets } from '../exposure.ts'
import { findOperator, pivotColumn, pivotField, relationNamed } from '../targets.ts'
import { fixedOperators } from './builders.ts'
import { type FilterDefinition, type FilterHandler, operators } from './definition.ts'

/** The declaration a filter belongs to: a type, or a relation, whose related type it filters. */
export interface FilterOwner {
  readonly type: ResourceType
  readonly relation: Relation | null
  readonly handlers: Readonly<Record<string, FilterHandler>>
}

/** Reports every fault of a filter to the registry. Returns true if there is none. */
export function checkFilter(filter: FilterDefinition, owner: FilterOwner, registry: Registry): boolean {
  const faults = filterFaults(filter, owner)
  for (const fault of faults) reportFault(fault, owner, registry)
  return faults.length === 0
}

/** Reports a fault at the member that declares the filter. */
export function reportFault(fault: string, { type, relation }: FilterOwner, registry: Registry): void {
  registry.fail(relation?.owner ?? type, relation?.name ?? 'filters', fault)
}

function filterFaults(filter: FilterDefinition, owner: FilterOwner): readonly string[] {
  const isGroup = filter.kind === 'all' || filter.kind === 'any'
  const hidden = isGroup ? [] : hiddenTargets(filter, owner) // a group reports them for its children
  const faults = [...targetFaults(filter, owner), ...hidden, ...optionFaults(filter)]
  return [...faults.map((fault) => `The filter '${filter.key}' ${fault}`), ...childFaults(filter, owner)]
}

function childFaults({ kind, key, children }: FilterDefinition, owner: FilterOwner): readonly string[] {
  if (kind !== 'all' && kind !== 'any') return []
  if (children.length === 0) return [`The filter '${key}' is a group without filters: pass at least one.`]
  return children.flatMap((child) => [...filterFaults(child, owner), ...ignoredOptions(child)])
}

/** Reports options that apply to a key: clients send only the key of the group, so they would have no effect. */
function ignoredOptions({ key, availableWhen, singular, default: preset }: FilterDefinition): string[] {
  if (!availableWhen && !singular && preset === undefined) return []
  return [`The filter '${key}' is part of a group: call default(), singular() and availableWhen() on the group.`]
}

function targetFaults(filter: FilterDefinition, owner: FilterOwner): string[] {
  const { target } = filter
  switch (filter.kind) {
    case 'where':
    case 'in':
    case 'null':
    case 'range':
    case 'dateRange':
      return propertyFaults(target, owner)
    case 'idIn':
      return target === 'id' ? [] : relationFaults(target, owner.type)
    case 'has':
    case 'hasMatching':
      return relationFaults(target, owner.type)
    case 'through':
      return pathFaults(target, owner.type)
    case 'custom':
      return customFaults(filter, owner)
    default:
      return []
  }
}

function propertyFaults(target: string, { type, relation }: FilterOwner): string[] {
  const pivot = pivotField(target)
  if (pivot === null) return isScalar(target, type) ? [] : [unknownProperty(target, type)]
  if (relation && pivotColumn(relation, pivot)) return []
  const suggestion = didYouMean(pivot, relation?.pivotFields.map(({ name }) => name) ?? [])
  return [`reads '${target}', but ${relation ? 'the relation' : 'a type'} has no pivot field '${pivot}'.${suggestion}`]
}

function relationFaults(name: string, type: ResourceType): string[] {
  const relation = relationNamed(type, name)
  if (!relation) {
    const names = type.relations.map((declared) => declared.name)
    return [`reads '${name}', which is not a relation of '${type.name}'.${didYouMean(name, names)}`]
  }
  return isPolymorphic(relation) ? [`reads '${name}', which is a polymorphic relation.`] : []
}

function pathFaults(path: string, type: ResourceType): string[] {
  const [hop = '', ...rest] = path.split('.')
  if (rest.length === 0) return [`has the path '${path}', which contains no relation: write 'relation.property'.`]
  const faults = relationFaults(hop, type)
  const next = relationNamed(type, hop)?.target
  if (faults.length > 0 || !next) return faults
  if (rest.length > 1) return pathFaults(rest.join('.'), next)
  return isScalar(rest[0] as string, next) ? [] : [unknownProperty(rest[0] as string, next)]
}

function customFaults({ condition, handler, properties }: FilterDefinition, { type, handlers }: FilterOwner): string[] {
  if (!condition && handler === null) return ['is custom: it needs condition() or handledBy().']
  const unknown = handler !== null && !Object.hasOwn(handlers, handler) ? [handler] : []
  return [
    ...unknown.map(
      (name) =>
        `names the handler '${name}', which is not passed to filtering({ handlers }).${didYouMean(name, Object.keys(handlers))}`,
    ),
    ...properties.filter((property) => !isScalar(property, type)).map((property) => unknownProperty(property, type)),
  ]
}

function optionFaults(filter: FilterDefinition): string[] {
  const { key, builderName, kind, singular } = filter
  const operator = findOperator(filter)
  const fixedOperator = fixedOperators[builderName]
  return [
    ...(key === '' || /[[\]]/.test(key) ? ['needs a key without brackets.'] : []),
    ...(operators.includes(operator)
      ? []
      : [`has the unknown operator '${operator}'. Operators: ${operators.join(' ')}.`]),
    ...(fixedOperator && fixedOperator !== operator
      ? [`is a ${builderName}(): it cannot have the operator '${operator}'.`]
      : []),
    ...(singular && kind !== 'where' && kind !== 'in' ? [`is a ${builderName}(): it cannot be singular.`] : []),
  ]
}

function isScalar(property: string, { shape }: ResourceType): boolean {
  return shape.properties.get(property)?.role === 'scalar'
}

function unknownProperty(property: string, { shape }: ResourceType): string {
  return `reads '${property}', which is not a property of ${shape.name}.${didYouMean(property, scalarNames(shape))}`
}
