import { isDeepStrictEqual } from 'node:util'
import { type EntityProperty, isRaw, type Platform, type RawQueryFragment } from '@mikro-orm/core'
import type { Changes, Context, ResourceType, Row } from '#kernel/store'
import { columnType, recordPrecision } from '../sql/column-types.ts'
import { quote } from '../sql/columns/column-sql.ts'
import { type Compiler, metaOf } from '../sql/compiler.ts'
import { differAsTexts } from '../sql/values/listed-types.ts'
import { unitOf } from '../unit.ts'
import { toEntityValue } from './lock-rows.ts'

/** The new values of a row by property. */
export type EncodedRow = ReadonlyMap<EntityProperty, EncodedValue>

/** The text that PostgreSQL casts to the type of the column, or an SQL expression. */
export type EncodedValue = string | null | Expression

/** A value that cannot be bound as a parameter, such as `raw()`. */
export interface Expression {
  toSql(alias: string): string
}

export function isExpression(value: EncodedValue): value is Expression {
  return typeof value === 'object' && value !== null
}

/** A new row: the values of the changes, and the initial values of the properties of the entity. */
export function encodeNewRow(type: ResourceType, changes: Changes, context: Context): EncodedRow {
  const initial = Object.entries(new (type.entity as new () => object)())
  return encode(type, new Map([...initial, ...valuesOf(type, changes, context)]), context)
}

/** The columns of a stored row that the changes give another value. */
export function encodeChangedColumns(type: ResourceType, row: Row, changes: Changes, context: Context): EncodedRow {
  const changed = [...changes.values].filter(
    ([name, value]) => !isDeepStrictEqual(row[name], toEntityValue(type, name, value, context)),
  )
  return encodeColumns(type, { ...changes, values: new Map(changed) }, context)
}

/** The columns of the changes, whatever the stored row has. */
export function encodeColumns(type: ResourceType, changes: Changes, context: Context): EncodedRow {
  return encode(type, valuesOf(type, changes, context), context)
}

/** A parameter that holds encoded text, cast to the type of its column. */
export function castText(text: string, property: EntityProperty): string {
  const { cast } = columnType(property)
  return cast === 'text' ? text : `${text}::${cast}`
}

export function columnOf({ fieldNames }: EntityProperty): string {
  return quote(fieldNames[0] as string)
}

/**
 * The assignment of a value in an update, and the condition that it changes the stored value. A time that is sent as it was
 * shown is unchanged, and keeps its stored microseconds.
 */
export function assign(property: EntityProperty, value: string, alias: string, { platform }: Compiler) {
  const column = columnOf(property)
  const stored = `${alias}.${column}`
  const shown = recordPrecision(stored, property, platform)
  const isChanged = (columnType(property).isChanged ?? differAsTexts)(shown ?? stored, value)
  const assigned = shown ? `case when ${isChanged} then ${value} else ${stored} end` : value
  return { text: `${column} = ${assigned}`, isChanged }
}

function valuesOf(type: ResourceType, { key, values, toOne }: Changes, context: Context): Map<string, unknown> {
  const stored = new Map<string, unknown>()
  for (const [name, value] of values) stored.set(name, toEntityValue(type, name, value, context))
  for (const [{ property }, related] of toOne) stored.set(property as string, related?.key ?? null)
  if (key !== undefined) stored.set(type.id.property, key)
  return stored
}

function encode(type: ResourceType, values: ReadonlyMap<string, unknown>, context: Context): EncodedRow {
  const { orm } = unitOf(context)
  const { properties } = metaOf(type, orm)
  const platform = orm.em.getPlatform()
  const row = new Map<EntityProperty, EncodedValue>()
  for (const [name, value] of values) {
    const property = properties[name as never] as EntityProperty | undefined
    if (!property || value === undefined || !hasColumn(property)) continue
    row.set(property, encodeValue(property, value, platform))
  }
  return row
}

/** False for a collection that the constructor of the entity initializes. */
function hasColumn({ kind, persist }: EntityProperty): boolean {
  return persist !== false && kind !== '1:m' && kind !== 'm:n'
}

function encodeValue(property: EntityProperty, value: unknown, platform: Platform): EncodedValue {
  if (value === null) return null
  if (isRaw(value)) return rawExpression(value, platform)
  const { customType, name } = property
  const stored = customType
    ? customType.convertToDatabaseValue(value, platform, { key: name, mode: 'query-data' })
    : value
  if (stored === null || stored === undefined) return null
  if (stored instanceof Date) return stored.toISOString()
  if (stored instanceof Uint8Array) return `\\x${Buffer.from(stored).toString('hex')}`
  if (Array.isArray(stored)) return platform.marshallArray(stored)
  // MikroORM writes the text of an object that the type of the column does not convert.
  return typeof stored === 'object' ? { toSql: () => platform.quoteValue(stored) } : String(stored)
}

/** An SQL fragment of `raw()`. */
function rawExpression({ sql, params }: RawQueryFragment, platform: Platform): Expression {
  return { toSql: (alias) => `(${platform.formatQuery(sql.replaceAll('[::alias::]', alias), [...params])})` }
}

/**
 * Groups rows with the same columns that stand side by side, so that keys of a sequence have the order of the rows. A row
 * without values, or with an expression, has a statement of its own: `default values` is a single row.
 */
export function groupAdjacent(rows: readonly EncodedRow[]): readonly (readonly EncodedRow[])[] {
  const groups: [EncodedRow, ...EncodedRow[]][] = []
  for (const row of rows) {
    const group = groups.at(-1)
    if (group && isBound(row) && isBound(group[0]) && columnNames(group[0]) === columnNames(row)) group.push(row)
    else groups.push([row])
  }
  return groups
}

/** Whether all values of a row are parameters. */
function isBound(row: EncodedRow): boolean {
  return row.size > 0 && ![...row.values()].some(isExpression)
}

/** The columns of a row. Those with an expression differ: they have no parameter. */
export function columnNames(row: EncodedRow): string {
  return [...row].map(([{ name }, value]) => (isExpression(value) ? `${name} expression` : name)).join()
}
