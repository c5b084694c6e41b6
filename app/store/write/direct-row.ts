import { isDeepStrictEqual } from 'node:util'
import { type EntityMetadata, type EntityProperty, EventType, JsonType, type Platform } from '@mikro-orm/core'
import { type Changes, type Context, getOrCreate, hasWriteHooks, type ResourceType } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { columnType } from '../sql/column-types.ts'
import { unitOf } from '../unit.ts'
import { toEntityValue } from './lock-rows.ts'

export type Parameter = string | number | boolean | null

/** The new values of a row, by property. */
export type PlainRow = ReadonlyMap<EntityProperty, Parameter>

/**
 * Rows that nobody watches being written need no unit of work, only a statement with bound values, which the server
 * plans once. False where MikroORM, a plugin or an author's function has something to say about them.
 */
export function isPlainWrite(type: ResourceType, { fills }: Changes, context: Context): boolean {
  return fills.length === 0 && !hasWriteHooks(context.app, type) && isPlainType(type, context)
}

export function isPlainType(type: ResourceType, context: Context): boolean {
  return isPlain(metaOf(type, context), unitOf(context).orm)
}

/** Null when one of the values has a form that MikroORM knows how to write. */
export function toPlainRow(
  type: ResourceType,
  { key, values, toOne }: Changes,
  context: Context,
  initial: object = {},
): PlainRow | null {
  const { properties } = metaOf(type, context)
  const given = new Map<string, unknown>(Object.entries(initial))
  for (const [property, value] of values) given.set(property, toEntityValue(type, property, value, context))
  for (const [{ property }, related] of toOne) given.set(property as string, related?.key ?? null)
  if (key !== undefined) given.set(type.id.property, key)
  const row = new Map<EntityProperty, Parameter>()
  for (const [name, value] of given) {
    const property = properties[name as never] as EntityProperty | undefined
    if (!property || value === undefined) continue
    const parameter = toParameter(property, value, unitOf(context).orm.em.getPlatform())
    if (parameter === undefined) return null
    row.set(property, parameter)
  }
  return row
}

/** Values that are stored already are not written again. */
export function onlyChanged(entity: object, changes: Changes): Changes {
  const values = new Map<string, unknown>()
  for (const [name, value] of changes.values) {
    if (!isDeepStrictEqual(entity[name as never], value)) values.set(name, value)
  }
  return { ...changes, values }
}

function metaOf({ entity }: ResourceType, context: Context): EntityMetadata {
  return unitOf(context).orm.getMetadata().get(entity) as EntityMetadata
}

/** What the server takes for the type of a column; the rest is written as text. */
const native = new Set(['bool', 'int2', 'int4', 'float4', 'float8', 'text'])
const casts = new WeakMap<EntityProperty, string>()

export function castOf(property: EntityProperty): string {
  return getOrCreate(casts, property, () => {
    const { cast } = columnType(property)
    return native.has(cast) ? `::${cast}` : `::text::${cast}`
  })
}

/** Undefined when it has no such form. */
function toParameter(property: EntityProperty, value: unknown, platform: Platform): Parameter | undefined {
  if (value === null) return null
  const { customType, name } = property
  const stored = customType
    ? customType.convertToDatabaseValue(value, platform, { key: name, mode: 'query-data' })
    : value
  if (stored === null || stored === undefined) return null
  if (stored instanceof Date) return stored.toISOString()
  if (typeof stored === 'bigint') return String(stored)
  if (typeof stored !== 'string' && typeof stored !== 'number' && typeof stored !== 'boolean') return undefined
  return native.has(columnType(property).cast) ? stored : String(stored)
}

const known = new WeakMap<EntityMetadata, boolean>()

/** Whether a row of this entity is its columns, and nothing happens when it is written. */
function isPlain(meta: EntityMetadata, orm: Orm): boolean {
  const events = orm.em.getEventManager()
  if (heard.some((event) => events.hasListeners(event, meta))) return false
  return getOrCreate(known, meta, () => {
    const isSimple = !meta.root.inheritanceType && !meta.virtual && !meta.readonly && !meta.versionProperty
    const isBare = (meta.constructorParams?.length ?? 0) === 0 && meta.primaryKeys.length === 1
    return isSimple && isBare && meta.concurrencyCheckKeys.size === 0 && meta.props.every(isColumn)
  })
}

/** What MikroORM tells of rows that it writes, to hooks of the entity and to subscribers. */
const heard = [
  EventType.onInit,
  EventType.beforeCreate,
  EventType.afterCreate,
  EventType.beforeUpdate,
  EventType.afterUpdate,
  EventType.beforeFlush,
  EventType.onFlush,
  EventType.afterFlush,
]

/** A column of its own, or nothing in this table. */
function isColumn({
  kind,
  fieldNames,
  onCreate,
  onUpdate,
  customType,
  primary,
  persist,
  ...rest
}: EntityProperty): boolean {
  if (kind === '1:m' || kind === 'm:n') return true
  if (onCreate || onUpdate || rest.generated || rest.polymorphic) return false
  if (kind === 'embedded' || kind === '1:1' || (kind === 'm:1' && primary)) return false
  const writesAsIs = !customType?.convertToDatabaseValueSQL || customType instanceof JsonType
  return persist === false || (fieldNames.length === 1 && writesAsIs)
}
