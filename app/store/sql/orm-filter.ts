import {
  BigIntType,
  DateType,
  DecimalType,
  DoubleType,
  type EntityMetadata,
  type EntityProperty,
  IntervalType,
  raw,
  UuidType,
} from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { type Condition, filterToCondition, isObjectLiteral } from '#kernel/store'

/** Converts a MikroORM filter over scalar properties of the entity to a condition. Null if it uses more than that. */
export function columnFilter(filter: object, meta: EntityMetadata): Condition | null {
  return filterToCondition(filter, (name) => comparesUnchanged(meta.properties[name as never]))
}

const unconverted: readonly unknown[] = [BigIntType, DateType, DecimalType, DoubleType, IntervalType, UuidType]

/** Whether a filter compares values of the property unchanged: its type does not convert them. */
export function comparesUnchanged(property: EntityProperty | undefined): boolean {
  if (property?.kind !== 'scalar') return false
  return !property.customType || unconverted.includes(property.customType.constructor)
}

type Filter = Readonly<Record<string | symbol, unknown>>

/**
 * Replaces conditions on the rows of a polymorphic to-one: MikroORM would only join one of its targets. A row meets such a
 * condition if its target does; a target without the properties of the condition does not. Throws if no target has them.
 */
export function expandPolymorphic(filter: object, meta: EntityMetadata, em: SqlEntityManager): object {
  return expand(filter, meta, em) as object
}

function hasSeveralTargets({ polymorphTargets = [] }: EntityProperty): boolean {
  return polymorphTargets.length > 1
}

/** Operators keep the entity: their operands are filters of the same rows. */
function expand(filter: unknown, meta: EntityMetadata, em: SqlEntityManager): unknown {
  if (Array.isArray(filter)) return filter.map((part) => expand(part, meta, em))
  if (!isObjectLiteral(filter)) return filter
  const members: Record<string | symbol, unknown> = {}
  const alternatives: object[] = []
  for (const key of Reflect.ownKeys(filter)) {
    const value = (filter as Filter)[key]
    const property = typeof key === 'string' ? (meta.properties[key as never] as EntityProperty | undefined) : undefined
    if (property && hasSeveralTargets(property) && isRowFilter(value)) alternatives.push(ofTargets(property, value, em))
    else members[key] = String(key).startsWith('$') ? expand(value, meta, em) : expandRelated(value, property, em)
  }
  return alternatives.length === 0 ? members : { $and: [members, ...alternatives].filter(isNotEmpty) }
}

function expandRelated(value: unknown, property: EntityProperty | undefined, em: SqlEntityManager): unknown {
  return property?.targetMeta && !hasSeveralTargets(property) ? expand(value, property.targetMeta, em) : value
}

function isNotEmpty(filter: object): boolean {
  return Reflect.ownKeys(filter).length > 0
}

/** Whether the value is a filter of the rows, not a key or a comparison with keys. */
function isRowFilter(value: unknown): value is Filter {
  return isObjectLiteral(value) && propertiesIn(value).length > 0
}

function ofTargets(property: EntityProperty, filter: Filter, em: SqlEntityManager): object {
  const { polymorphTargets = [], discriminatorMap = {}, fieldNames } = property
  const names = propertiesIn(filter)
  const quoted = (name: string) => em.getPlatform().quoteIdentifier(name)
  const [discriminator, key] = fieldNames.map((name) => (alias: string) => `${quoted(alias)}.${quoted(name)}`)
  const matching = Object.entries(discriminatorMap).flatMap(([value, entity]) => {
    const target = polymorphTargets.find((one) => (one.class as unknown) === entity)
    if (!target || !names.every((name) => target.properties[name as never])) return []
    const rows = em
      .createQueryBuilder(target.class)
      .select(target.primaryKeys as never)
      .where(expand(filter, target, em) as never)
    return [{ [raw(discriminator as Column)]: value, [raw(key as Column)]: { $in: rows } }]
  })
  if (matching.length > 0) return { $or: matching }
  const targets = polymorphTargets.map(({ className }) => className).join(', ')
  throw new Error(`No target of '${property.name}' (${targets}) has the properties ${names.join(', ')}.`)
}

type Column = (alias: string) => string

/** The properties of the row that a filter compares, also inside its operators. */
function propertiesIn(filter: unknown): readonly string[] {
  if (Array.isArray(filter)) return filter.flatMap(propertiesIn)
  if (!isObjectLiteral(filter)) return []
  return Object.entries(filter).flatMap(([key, value]) => (key.startsWith('$') ? propertiesIn(value) : [key]))
}
