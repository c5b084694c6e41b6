import {
  always,
  type Exposure,
  exposureOf,
  exposureOfField,
  hidingWord,
  type IsExposed,
  type ResourceType,
} from '#kernel/plugin'
import type { Place } from './declare/check-declaration.ts'
import type { FilterDefinition } from './declare/definition.ts'
import { pivotField, relationNamed } from './targets.ts'

/** Which requesters may use a filter, by every value it reads: filtering by a value reveals it. */
export function isExposedBy(filter: FilterDefinition, place: Place): IsExposed {
  const tests = exposuresOf(filter, place)
    .map(({ isExposed }) => isExposed)
    .filter((test) => test !== always)
  return tests.length > 0 ? (visibility) => tests.every((test) => test(visibility)) : always
}

/** What the filter looks at although it is hidden from all, or by row. */
export function hiddenTargets(filter: FilterDefinition, place: Place): string[] {
  return exposuresOf(filter, place).flatMap(({ hiddenBy }) =>
    hiddenBy ? [`looks at '${hiddenBy.field}', which is ${hiddenBy.word}. Use hiddenFor(fn) instead.`] : [],
  )
}

function exposuresOf({ kind, target, children, properties }: FilterDefinition, place: Place): readonly Exposure[] {
  const { type } = place
  switch (kind) {
    case 'where':
    case 'in':
    case 'null':
    case 'range':
    case 'dateRange':
      return [ofProperty(target, place)]
    case 'idIn':
      return target === 'id' ? [] : ofRelation(target, type)
    case 'has':
    case 'hasMatching':
      return ofRelation(target, type)
    case 'through':
      return ofPath(target.split('.'), type)
    case 'custom':
      return properties.map((property) => exposureOf(type.attributes, property))
    default:
      return children.flatMap((child) => exposuresOf(child, place))
  }
}

function ofProperty(target: string, { type, relation }: Place): Exposure {
  const pivot = pivotField(target)
  if (pivot === null) return exposureOf(type.attributes, target)
  const fields = relation?.pivotFields ?? []
  const property = fields.find(({ name }) => name === pivot)?.property
  return exposureOf(fields, property ?? pivot)
}

function ofRelation(name: string, type: ResourceType): readonly Exposure[] {
  const relation = relationNamed(type, name)
  if (!relation) return []
  const word = hidingWord(relation)
  return [{ hiddenBy: word ? { field: relation.name, word } : null, isExposed: exposureOfField(relation) }]
}

/** Every relation on the way, and the property at its end. */
function ofPath([hop = '', ...rest]: readonly string[], type: ResourceType): readonly Exposure[] {
  if (rest.length === 0) return [exposureOf(type.attributes, hop)]
  const next = relationNamed(type, hop)?.target
  return [...ofRelation(hop, type), ...(next ? ofPath(rest, next) : [])]
}
