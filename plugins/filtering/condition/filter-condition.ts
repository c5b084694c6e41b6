import {
  type ApiRequest,
  all,
  any,
  type Condition,
  exists,
  isIn,
  isNull,
  native,
  not,
  type ParamValue,
  type PropertyShape,
  phrase,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import type { Place } from '../declare/check-declaration.ts'
import type { FilterDefinition, FilterHandler } from '../declare/definition.ts'
import { propertyOf, relationNamed } from '../targets.ts'
import { castMatching, castValues } from './cast-condition.ts'
import { comparison, membership, refused, within } from './property-condition.ts'
import { isText, keepsRules, listOf, type Refuse, textsOf, toSent } from './values.ts'

/** Who asks a filter, and where refusals go. */
export interface Asking {
  readonly place: Place
  readonly request: ApiRequest | null
  readonly refuse: Refuse
}

/** The condition of a filter and the value that was sent; undefined when the value was refused. */
export function conditionOf(filter: FilterDefinition, sent: ParamValue, asking: Asking): Condition | undefined {
  const value = filter.fixed === undefined ? sent : toSent(filter.fixed)
  const asked = filter.fixed === undefined ? filter : { ...filter, rules: [] }
  if (!textsOf(value).every(isText)) return refused(asking.refuse, phrase('holds a character that no text has'))
  return conditions[filter.kind](asked, value, asking)
}

type ToCondition = (filter: FilterDefinition, value: ParamValue, asking: Asking) => Condition | undefined
type OfProperty = (
  filter: FilterDefinition,
  value: ParamValue,
  property: PropertyShape,
  refuse: Refuse,
) => Condition | undefined

/** A condition on the property a filter looks at, turned round where the filter is the opposite. */
function over(make: OfProperty): ToCondition {
  return (filter, value, { place, refuse }) => {
    const { property, wrap } = propertyOf(filter.target, place)
    const condition = make(filter, value, property, refuse)
    return condition && wrap(filter.negated ? not(condition) : condition)
  }
}

const conditions: Readonly<Record<FilterDefinition['kind'], ToCondition>> = {
  where: over(comparison),
  in: over(membership),
  null: over((_filter, _value, { name }) => isNull(name)),
  range: over(within),
  dateRange: over(within),

  idIn(filter, value, { place: { type }, refuse }) {
    const relation = filter.target === 'id' ? null : relationOf(filter, type)
    const isMember = identifiers(filter, value, relation?.target ?? type, refuse)
    const condition = isMember && relation ? exists(relation, isMember) : isMember
    return condition && filter.negated ? not(condition) : condition
  },

  has(filter, _value, { place }) {
    const condition = exists(relationOf(filter, place.type))
    return filter.negated ? not(condition) : condition
  },

  through: (filter, value, { place, refuse }) => along(filter.target.split('.'), filter, value, place.type, refuse),

  hasMatching({ target, matching }, value, { place, refuse }) {
    const relation = relationNamed(place.type, target) as Relation
    const where = typeof matching === 'function' ? matching(value) : matching
    const known = castMatching(where ?? {}, relation.target)
    return known ? exists(relation, native(known)) : refused(refuse, phrase('cannot be compared with'))
  },

  all: (filter, value, asking) => group(filter, value, asking, all),
  any: (filter, value, asking) => group(filter, value, asking, any),

  custom(filter, value, { place, request, refuse }) {
    const { condition, handler, key, properties } = filter
    const texts = textsOf(value).map((text) => keepsRules(text, filter, refuse))
    if (texts.includes(false)) return undefined
    const make = place.handlers[handler ?? ''] as FilterHandler
    const made = condition ? condition(value, request) : make(value, { key, properties }, request)
    return (made && castValues(made, place.type)) ?? refused(refuse, phrase('is not understood'))
  },
}

function relationOf({ target }: FilterDefinition, type: ResourceType): Relation {
  return relationNamed(type, target) as Relation
}

function identifiers(filter: FilterDefinition, value: ParamValue, type: ResourceType, refuse: Refuse) {
  const keys = listOf(value, filter, refuse)?.map((id) => {
    const key = keepsRules(id, filter, refuse) ? type.codec.decode(id) : null
    return key === undefined ? refused(refuse, phrase("cannot be '{text}'", { text: id })) : key
  })
  return keys && !keys.some((key) => key === null || key === undefined) ? isIn(type.id.property, keys) : undefined
}

/** A row exists at the end of the path, each hop within the scope of its type. */
function along(
  [hop = '', ...rest]: readonly string[],
  filter: FilterDefinition,
  value: ParamValue,
  type: ResourceType,
  refuse: Refuse,
): Condition | undefined {
  if (rest.length === 0) return comparison(filter, value, type.shape.properties.get(hop) as PropertyShape, refuse)
  const relation = relationNamed(type, hop) as Relation
  const condition = along(rest, filter, value, relation.target, refuse)
  return condition && exists(relation, condition)
}

function group(filter: FilterDefinition, value: ParamValue, asking: Asking, join: typeof all): Condition | undefined {
  const kept = textsOf(value).map((text) => keepsRules(text, filter, asking.refuse))
  const children = filter.children.map((child) => conditionOf(child, value, asking))
  const sound = children.filter((child) => child !== undefined)
  return kept.includes(false) || sound.length < children.length ? undefined : join(...sound)
}
