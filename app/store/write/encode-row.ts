import { isDeepStrictEqual } from 'node:util'
import { type EntityProperty, isRaw, type Platform, type RawQueryFragment } from '@mikro-orm/core'
import type { Changes, Context, ResourceType, Row } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { columnType, recordPrecision } from '../sql/column-types.ts'
import { quoteIdentifier } from '../sql/columns/column-sql.ts'
import { hasEntityForm } from '../sql/columns/embedded.ts'
import { type Compiler, metaOf } from '../sql/compiler.ts'
import { differAsTexts } from '../sql/values/listed-types.ts'
import { encodeTime } from '../sql/values/times.ts'
import { unitOf } from '../unit.ts'
import { toEntityValue } from './lock-rows.ts'

/** The columns of a row that a statement writes, and their values in the same order. */
export interface EncodedRow {
  readonly properties: readonly EntityProperty[]
  readonly values: readonly EncodedValue[]
  /** The names of the columns. Rows with the same names share a statement, unless a value is an expression. */
  readonly names: string
  readonly hasExpression: boolean
}

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
  return encode(type, changes, new Map<string, unknown>(initial), context)
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
  return encode(type, changes, new Map(), context)
}

/** A parameter that holds encoded text, cast to the type of its column. */
export function castText(text: string, property: EntityProperty): string {
  const { cast } = columnType(property)
  return cast === 'text' ? text : `${text}::${cast}`
}

export function quoteColumn({ fieldNames }: EntityProperty): string {
  return quoteIdentifier(fieldNames[0] as string)
}

/**
 * The assignment of a value in an update, and the condition that it changes the stored value. A time that is sent as it was
 * shown is unchanged, and keeps its stored microseconds; an equal JSON value keeps its stored form.
 */
export function assign(property: EntityProperty, value: string, alias: string, { platform }: Compiler) {
  const column = quoteColumn(property)
  const stored = `${alias}.${column}`
  const shown = recordPrecision(stored, property, platform)
  const { isChanged: differ = differAsTexts, keepsForm } = columnType(property)
  const isChanged = differ(shown ?? stored, value)
  const assigned = shown || keepsForm ? `case when ${isChanged} then ${value} else ${stored} end` : value
  return { text: `${column} = ${assigned}`, isChanged }
}

/** Adds the values of the changes to the initial ones, and encodes all of them. */
function encode(
  type: ResourceType,
  { key, values: changed, toOne }: Changes,
  stored: Map<string, unknown>,
  context: Context,
): EncodedRow {
  const { orm } = unitOf(context)
  const columns = findColumns(type, orm)
  for (const [name, value] of changed) {
    const isSame = typeof value === 'string' || columns.get(name)?.hasEntityForm !== false
    stored.set(name, isSame ? value : toEntityValue(type, name, value, context))
  }
  for (const [{ property }, related] of toOne) stored.set(property as string, related?.key ?? null)
  if (key !== undefined) stored.set(type.id.property, key)
  const properties: EntityProperty[] = []
  const values: EncodedValue[] = []
  let names = ''
  let hasExpression = false
  for (const [name, value] of stored) {
    const column = columns.get(name)
    if (!column || value === undefined) continue
    const isPlain = !column.property.customType && (typeof value === 'string' || typeof value === 'number')
    const encoded = isPlain ? String(value) : encodeValue(column.property, value, column.platform)
    properties.push(column.property)
    values.push(encoded)
    names += `,${name}`
    if (typeof encoded !== 'object' || encoded === null) continue
    names += ' expression' // it has no parameter
    hasExpression = true
  }
  return { properties, values, names, hasExpression }
}

/** A property that is written as a column. */
interface WrittenColumn {
  readonly property: EntityProperty
  /** Whether values of documents have the form of the entity. */
  readonly hasEntityForm: boolean
  readonly platform: Platform
}

declare module '#kernel/store' {
  interface ResourceType {
    /** Set by the first write of a row. */
    writtenColumns?: ReadonlyMap<string, WrittenColumn>
  }
}

/** The columns of a type by property, without a collection that the constructor of the entity initializes. */
function findColumns(type: ResourceType, orm: Orm): ReadonlyMap<string, WrittenColumn> {
  if (type.writtenColumns) return type.writtenColumns
  const platform = orm.em.getPlatform()
  const stored = metaOf(type, orm).props.filter(hasColumn)
  type.writtenColumns = new Map(
    stored.map((property) => [property.name, { property, hasEntityForm: hasEntityForm(property), platform }]),
  )
  return type.writtenColumns
}

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
  if (stored instanceof Date) return encodeTime(stored)
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
 * Groups rows with the same columns that follow each other, so that keys of a sequence have the order of the rows. A row
 * without values, or with an expression, has a statement of its own: `default values` is a single row.
 */
export function groupAdjacent(rows: readonly EncodedRow[]): readonly (readonly EncodedRow[])[] {
  const groups: [EncodedRow, ...EncodedRow[]][] = []
  for (const row of rows) {
    const group = groups.at(-1)
    if (group && isBound(row) && isBound(group[0]) && group[0].names === row.names) group.push(row)
    else groups.push([row])
  }
  return groups
}

/** Whether all values of a row are parameters. */
function isBound({ values, hasExpression }: EncodedRow): boolean {
  return values.length > 0 && !hasExpression
}
