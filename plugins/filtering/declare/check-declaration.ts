import { isPolymorphic, type Registry, type Relation, type ResourceType } from '#kernel/plugin'
import { hiddenTargets } from '../exposure.ts'
import { operatorOf, pivotColumn, pivotField, relationNamed } from '../targets.ts'
import { ownOperators } from './builders.ts'
import { type FilterDefinition, type FilterHandler, operators } from './definition.ts'

/** Where filters were declared: on a type, or on a relation, whose related type they look at. */
export interface Place {
  readonly type: ResourceType
  readonly relation: Relation | null
  readonly handlers: Readonly<Record<string, FilterHandler>>
}

/** Everything that is wrong with a filter, each a sentence. */
export function faultsOf(filter: FilterDefinition, place: Place): readonly string[] {
  const isGroup = filter.kind === 'all' || filter.kind === 'any'
  const hidden = isGroup ? [] : hiddenTargets(filter, place) // those of a group are told of its children
  const faults = [...targetFaults(filter, place), ...hidden, ...wordFaults(filter)]
  return [...faults.map((fault) => `The filter '${filter.key}' ${fault}`), ...childFaults(filter, place)]
}

export function reportFaults(filter: FilterDefinition, place: Place, registry: Registry): boolean {
  const owner = place.relation?.owner ?? place.type
  const faults = faultsOf(filter, place)
  for (const fault of faults) registry.fail(owner, place.relation?.name ?? 'filters', fault)
  return faults.length === 0
}

function childFaults({ kind, key, children }: FilterDefinition, place: Place): readonly string[] {
  if (kind !== 'all' && kind !== 'any') return []
  if (children.length === 0) return [`The filter '${key}' groups no filters.`]
  return children.flatMap((child) => [...faultsOf(child, place), ...lostWords(child)])
}

/** The key of a group is the only one a client sends: what a child says of its own key would never be asked. */
function lostWords({ key, availableWhen, singular, default: preset }: FilterDefinition): string[] {
  if (!availableWhen && !singular && preset === undefined) return []
  return [`The filter '${key}' stands in a group: say default(), singular() and availableWhen() of the group.`]
}

function targetFaults(filter: FilterDefinition, place: Place): string[] {
  const { target } = filter
  switch (filter.kind) {
    case 'where':
    case 'in':
    case 'null':
    case 'range':
    case 'dateRange':
      return propertyFaults(target, place)
    case 'idIn':
      return target === 'id' ? [] : relationFaults(target, place.type)
    case 'has':
    case 'hasMatching':
      return relationFaults(target, place.type)
    case 'through':
      return pathFaults(target, place.type)
    case 'custom':
      return customFaults(filter, place)
    default:
      return []
  }
}

function propertyFaults(target: string, { type, relation }: Place): string[] {
  const pivot = pivotField(target)
  if (pivot === null) return isScalar(target, type) ? [] : [noProperty(target, type)]
  if (relation && pivotColumn(relation, pivot)) return []
  return [`looks at '${target}', but ${relation ? 'the relation' : 'a type'} has no pivot field '${pivot}'.`]
}

function relationFaults(name: string, type: ResourceType): string[] {
  const relation = relationNamed(type, name)
  if (!relation) return [`looks at '${name}', which is not a relation of '${type.name}'.`]
  return isPolymorphic(relation) ? [`looks through '${name}', which leads to several types.`] : []
}

function pathFaults(path: string, type: ResourceType): string[] {
  const [hop = '', ...rest] = path.split('.')
  if (rest.length === 0) return [`has the path '${path}', which does not lead over a relation.`]
  const faults = relationFaults(hop, type)
  const next = relationNamed(type, hop)?.target
  if (faults.length > 0 || !next) return faults
  if (rest.length > 1) return pathFaults(rest.join('.'), next)
  return isScalar(rest[0] as string, next) ? [] : [noProperty(rest[0] as string, next)]
}

function customFaults({ condition, handler, properties }: FilterDefinition, { type, handlers }: Place): string[] {
  if (!condition && handler === null) return ['is custom: it needs condition() or handledBy().']
  const unknown = handler !== null && !Object.hasOwn(handlers, handler)
  return [
    ...(unknown ? [`names the handler '${handler}', which is not given to filtering({ handlers }).`] : []),
    ...properties.filter((property) => !isScalar(property, type)).map((property) => noProperty(property, type)),
  ]
}

function wordFaults(filter: FilterDefinition): string[] {
  const { key, word, kind, singular } = filter
  const operator = operatorOf(filter)
  const own = ownOperators[word]
  return [
    ...(key === '' || /[[\]]/.test(key) ? ['needs a key without brackets.'] : []),
    ...(operators.includes(operator) ? [] : [`has the operator '${operator}', which is none.`]),
    ...(own && own !== operator ? [`is a ${word}(): it cannot have the operator '${operator}'.`] : []),
    ...(singular && kind !== 'where' && kind !== 'in' ? [`is a ${word}(): it cannot be singular.`] : []),
  ]
}

function isScalar(property: string, { shape }: ResourceType): boolean {
  return shape.properties.get(property)?.role === 'scalar'
}

function noProperty(property: string, { shape }: ResourceType): string {
  return `looks at '${property}', which is not a property of ${shape.name}.`
}
