import { phrase } from '#kernel/errors'
import type { ApiRequest, PropertyShape, Relation, ResourceType } from '#kernel/plugin'
import {
  all,
  any,
  type Condition,
  exists,
  isIn,
  isNull,
  isStorableText,
  native,
  not,
  type ParamValue,
} from '#kernel/queries'
import type { FilterOwner } from '../declare/check-declaration.ts'
import type { FilterDefinition, FilterHandler } from '../declare/definition.ts'
import { findProperty, relationNamed } from '../targets.ts'
import { castMatching, castValues } from './cast-condition.ts'
import { between, comparison, membership, type PropertyCondition } from './property-condition.ts'
import { type Reject, readList, satisfiesRules, toParamValue, toTexts, valueFault } from './values.ts'

export interface FilterContext {
  readonly owner: FilterOwner
  /** The name of the query parameter, for errors. */
  readonly parameter: string
  /** Its request is read only if a function of the application needs it. */
  readonly caller: { readonly request: ApiRequest | null }
  readonly reject: Reject
}

/** Returns the condition of a filter for a sent value; undefined if the value was rejected. */
export function filterCondition(
  filter: FilterDefinition,
  sent: ParamValue,
  context: FilterContext,
): Condition | undefined {
  const isFixed = filter.fixed !== undefined
  const value = isFixed ? toParamValue(filter.fixed) : sent
  if (!toTexts(value).every(isStorableText)) {
    return context.reject(phrase('contains a NUL character or an unpaired surrogate'))
  }
  return conditions[filter.kind](isFixed ? { ...filter, rules: [] } : filter, value, context)
}

type ToCondition = (filter: FilterDefinition, value: ParamValue, context: FilterContext) => Condition | undefined

/** Applies a condition to the property of the filter, negated if the filter is. */
function onProperty(toCondition: PropertyCondition): ToCondition {
  return (filter, value, { owner, reject }) => {
    const { property, wrap } = findProperty(filter.target, owner)
    const condition = toCondition(filter, value, property, reject)
    return condition && wrap(filter.negated ? not(condition) : condition)
  }
}

const conditions: Readonly<Record<FilterDefinition['kind'], ToCondition>> = {
  where: onProperty(comparison),
  in: onProperty(membership),
  null: onProperty((_filter, _value, { name }) => isNull(name)),
  range: onProperty(between),
  dateRange: onProperty(between),

  idIn(filter, value, { owner: { type }, reject }) {
    const relation = filter.target === 'id' ? null : requireRelation(filter, type)
    const isMember = idMembership(filter, value, relation?.target ?? type, reject)
    const condition = isMember && relation ? exists(relation, isMember) : isMember
    return condition && filter.negated ? not(condition) : condition
  },

  has(filter, _value, { owner }) {
    const condition = exists(requireRelation(filter, owner.type))
    return filter.negated ? not(condition) : condition
  },

  through: (filter, value, { owner, reject }) =>
    pathCondition(filter.target.split('.'), owner.type, (property) => comparison(filter, value, property, reject)),

  hasMatching(filter, value, { owner, reject }) {
    const { matching } = filter
    const relation = requireRelation(filter, owner.type)
    const where = typeof matching === 'function' ? matching(value) : matching
    const converted = castMatching(where ?? {}, relation.target)
    if (!converted) return reject(phrase('cannot be compared with related rows'))
    return exists(relation, native(converted, declaredBy(filter)))
  },

  all: (filter, value, context) => groupCondition(filter, value, context, all),
  any: (filter, value, context) => groupCondition(filter, value, context, any),

  custom(filter, value, { owner, parameter, caller, reject }) {
    const { condition, handler, key, properties } = filter
    if (!textsSatisfyRules(filter, value, reject)) return undefined
    const handle = owner.handlers[handler ?? ''] as FilterHandler
    const built = condition
      ? condition(value, caller.request)
      : handle(value, { key, parameter, properties }, caller.request)
    const converted = built && castValues(built, owner.type, value)
    return converted
      ? { ...converted, declaredBy: declaredBy(filter) }
      : reject(phrase('is not accepted by this filter'))
  },
}

/** The name of a filter with a function of the application, in the log of an error. */
function declaredBy({ key }: FilterDefinition): string {
  return `filter[${key}]`
}

function requireRelation({ target }: FilterDefinition, type: ResourceType): Relation {
  return relationNamed(type, target) as Relation
}

function idMembership(filter: FilterDefinition, value: ParamValue, type: ResourceType, reject: Reject) {
  const keys = readList(value, filter, reject)?.map((id) => {
    const key = satisfiesRules(id, filter, reject) ? type.codec.decode(id) : null
    return key === undefined ? reject(valueFault(id, phrase("an id of type '{type}'", { type: type.name }))) : key
  })
  return keys && !keys.some((key) => key === null || key === undefined) ? isIn(type.id.property, keys) : undefined
}

/** Requires a row at the end of the path. Each EXISTS applies the scope of its type. */
function pathCondition(
  [name = '', ...rest]: readonly string[],
  type: ResourceType,
  toCondition: (property: PropertyShape) => Condition | undefined,
): Condition | undefined {
  if (rest.length === 0) return toCondition(type.shape.properties.get(name) as PropertyShape)
  const relation = relationNamed(type, name) as Relation
  const condition = pathCondition(rest, relation.target, toCondition)
  return condition && exists(relation, condition)
}

function groupCondition(
  filter: FilterDefinition,
  value: ParamValue,
  context: FilterContext,
  join: typeof all,
): Condition | undefined {
  const isValid = textsSatisfyRules(filter, value, context.reject)
  const children = filter.children.map((child) => filterCondition(child, value, context))
  const accepted = children.filter((child) => child !== undefined)
  return isValid && accepted.length === children.length ? join(...accepted) : undefined
}

/** Checks every text, so that each violation is reported. */
function textsSatisfyRules(filter: FilterDefinition, value: ParamValue, reject: Reject): boolean {
  const results = toTexts(value).map((text) => satisfiesRules(text, filter, reject))
  return !results.includes(false)
}
