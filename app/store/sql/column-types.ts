import { DateType, type EntityProperty, JsonType, type Platform, Type, UuidType } from '@mikro-orm/core'
import { getOrCreate } from '#kernel/store'
import { type StoredForm, storedForm } from './values/stored-form.ts'
import { isDay, isInstant, isInt8, isLocalTime, isText, isTime, isUuid } from './values/value-forms.ts'

/** How values of a column type are read from URLs and cursors, bound to statements, and converted for records. */
export interface ColumnType extends StoredForm {
  /** The SQL type for casts, without length or precision. */
  readonly cast: string
  /** The cast of an array, if it is not the type with brackets. */
  readonly listCast?: string
  /** The smallest and the largest number of the type. */
  readonly range?: readonly [number, number]
  /** Undefined if the text is not a value of the type. */
  parse(text: string): unknown
  /** Whether a JSON value can be compared with the column. */
  accepts(value: unknown): boolean
  /** The type of the items of an array. */
  readonly item?: ColumnType
  /** Whether an array of the type can hold the item. */
  holdsItem?(item: unknown): boolean
  /** The column as an exact JSON value, because the form of the driver may lose digits. */
  exact?(column: string): string
  /** Converts the form of the driver to the form of the entity. */
  toRecord?(value: unknown): unknown
}

const int2: readonly [number, number] = [-32_768, 32_767]
const int4: readonly [number, number] = [-2_147_483_648, 2_147_483_647]
const number = /^-?\d{1,131}(\.\d{1,1000})?$/
const asText = (column: string) => `${column}::text`

const text: ColumnType = {
  cast: 'text',
  parse: (value) => (isText(value) ? value : undefined),
  accepts: isText,
}

function integer(cast: string, range: readonly [number, number]): ColumnType {
  const [min, max] = range
  const inRange = (value: unknown) => Number.isInteger(value) && min <= (value as number) && (value as number) <= max
  return {
    cast,
    range,
    parse: (value) => (String(Number(value)) === value && inRange(Number(value)) ? Number(value) : undefined),
    accepts: inRange,
  }
}

function floating(cast: string, fits: (value: number) => boolean): ColumnType {
  const accepts = (value: unknown) => Number.isFinite(value) && fits(value as number)
  return {
    cast,
    parse: (value) => (number.test(value) && accepts(Number(value)) ? Number(value) : undefined),
    accepts,
  }
}

function temporal(cast: string, accepts: (value: unknown) => boolean, exact = asText): ColumnType {
  return { cast, parse: (value) => (accepts(value) ? value : undefined), accepts, exact }
}

const timestampFormat = `'YYYY-MM-DD"T"HH24:MI:SS.US'`
const timestamptz: ColumnType = {
  ...temporal('timestamptz', isInstant, (column) => `to_char(${column} at time zone 'UTC', ${timestampFormat}) || 'Z'`),
  toRecord: toDate,
}
const timestamp: ColumnType = {
  ...temporal('timestamp', isLocalTime, (column) => `to_char(${column}, ${timestampFormat})`),
  toRecord: toDate,
}
const numeric: ColumnType = {
  cast: 'numeric',
  parse: (value) => (number.test(value) ? value : undefined),
  accepts: (value) => typeof value === 'string' && number.test(value),
  exact: asText,
}
const boolean: ColumnType = {
  cast: 'bool',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  accepts: (value) => typeof value === 'boolean',
}

const types: Readonly<Record<string, ColumnType>> = {
  smallint: integer('int2', int2),
  int: integer('int4', int4),
  integer: integer('int4', int4),
  serial: integer('int4', int4),
  real: floating('float4', (value) => Number.isFinite(Math.fround(value)) && (value === 0 || Math.fround(value) !== 0)),
  'double precision': floating('float8', () => true),
  boolean,
  bool: boolean,
  uuid: { cast: 'uuid', parse: (value) => (isUuid(value) ? value.toLowerCase() : undefined), accepts: isUuid },
  timestamptz,
  'timestamp with time zone': timestamptz,
  timestamp,
  'timestamp without time zone': timestamp,
  date: temporal('date', isDay),
  time: temporal('time', isTime),
  text,
  varchar: text,
  'character varying': text,
  char: text,
  character: text,
  citext: { ...text, cast: 'citext' },
}

/** Other names of the same types. */
const aliases: Readonly<Record<string, string>> = {
  int2: 'smallint',
  smallserial: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  bigserial: 'bigint',
  float4: 'real',
  float8: 'double precision',
  bpchar: 'character',
}

const columnTypes = new WeakMap<EntityProperty, ColumnType>()

/** The type of a column. Values of an unlisted type are bound as text, and clients cannot send them. */
export function columnType(property: EntityProperty): ColumnType {
  return getOrCreate(columnTypes, property, () => {
    const type = declaredType(property)
    return type.item ? type : withStoredForm(type, storedForm(property))
  })
}

function declaredType(property: EntityProperty): ColumnType {
  if (property.nativeEnumName) {
    const value = nativeEnum(property.nativeEnumName, property.items ?? [])
    return property.array ? arrayOf(value, `${value.cast}[]`, property) : value
  }
  const declared = (property.columnTypes?.[0] ?? 'text').toLowerCase()
  const name = declared.replace(/\(.*?\)/, '').trim()
  if (!name.endsWith('[]')) return typeNamed(name, declared, property)
  return arrayOf(typeNamed(name.slice(0, -2), declared, property), name, property)
}

function arrayOf(item: ColumnType, cast: string, { items }: EntityProperty): ColumnType {
  const holdsItem = (value: unknown) => items?.includes(value as string) ?? holds(item, value)
  return { ...text, cast, item, parse: item.parse, exact: asText, holdsItem }
}

/** A number may have another form in the entity than in the column, such as `9.5` for 950 cents. */
function withStoredForm(type: ColumnType, form: StoredForm): ColumnType {
  const { toStored } = form
  if (!toStored) return { ...type, ...form }
  const { range: _, ...rest } = type
  const parse = (text: string) => {
    const value = type.parse(text) ?? (type.accepts(0) && number.test(text) ? Number(text) : undefined)
    return typeof value !== 'number' || type.accepts(toStored(value)) ? value : undefined
  }
  return { ...rest, ...form, parse }
}

function typeNamed(written: string, declared: string, property: EntityProperty): ColumnType {
  const name = aliases[written] ?? written
  if (name === 'bigint') return bigint(property)
  if (name === 'numeric' || name === 'decimal') return { ...numeric, ...numericRange(declared) }
  return types[name] ?? { ...text, cast: name, parse: () => undefined, exact: asText }
}

/** The cast of an array of values of the type. */
export function listCastOf({ cast, listCast = `${cast}[]` }: ColumnType): string {
  return listCast
}

/** The range of a declared precision and scale, such as `numeric(4,2)`. */
function numericRange(declared: string): Pick<ColumnType, 'range'> {
  const [, precision, scale = 0] = (/\((\d+)(?:,\s*(\d+))?\)/.exec(declared) ?? []).map(Number)
  if (!precision) return {}
  const largest = Number(`0${'9'.repeat(Math.max(0, precision - scale))}.${'9'.repeat(scale)}`)
  return { range: [-largest, largest] }
}

/** Whether a JSON value is a value of the column type. Types with text values accept numbers, too. */
function holds({ accepts }: ColumnType, value: unknown): boolean {
  if (typeof value !== 'number' || accepts === isText) return accepts(value)
  return accepts(value) || accepts(String(value))
}

/** The entity declares the form of the values: bigint, number or string. */
function bigint({ runtimeType }: EntityProperty): ColumnType {
  const toEntity = runtimeType === 'bigint' ? BigInt : runtimeType === 'number' ? Number : String
  return {
    cast: 'int8',
    range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    parse: (value) => (isInt8(value) ? toEntity(value) : undefined),
    accepts: isInt8,
    exact: asText,
  }
}

/** PGlite can bind an array of texts, but not an array of a type that was created after it started. */
function nativeEnum(name: string, items: readonly unknown[]): ColumnType {
  const cast = name.replace(/[^.]+/g, '"$&"')
  return {
    cast,
    listCast: `text[]::${cast}[]`,
    parse: (value) => (items.includes(value) ? value : undefined),
    accepts: (value) => items.includes(value),
    exact: asText,
  }
}

/** The expression that selects a column. A custom type may wrap it in an SQL function. */
export function readable(column: string, { customType }: EntityProperty, platform: Platform): string {
  return customType?.convertToJSValueSQL?.(column, platform) ?? column
}

/** Returns the conversion of a property. Null if the form of the driver is the form of the entity. */
export function recordConverter(property: EntityProperty, platform: Platform): ((value: unknown) => unknown) | null {
  const { customType } = property
  if (!customType || customType instanceof JsonType) return columnType(property).toRecord ?? null
  return hasNoConversion(customType) ? null : (value) => customType.convertToJSValue(value, platform)
}

/** Whether the type does not convert values of the driver. */
function hasNoConversion({ convertToJSValue }: Type<unknown>): boolean {
  return [Type, DateType, UuidType].some(({ prototype }) => prototype.convertToJSValue === convertToJSValue)
}

/** The expression of a column with the precision of its values in records. Undefined if that is the stored precision. */
export function recordPrecision(column: string, property: EntityProperty, platform: Platform): string | undefined {
  const isDate = recordConverter(property, platform) === toDate
  return isDate ? `date_trunc('milliseconds', ${column})` : undefined
}

/** Parses `2026-01-02 01:04:05.123456+00`, the form of both drivers in a UTC session; without `+00` it has no zone. */
function toDate(text: unknown): Date {
  const value = text as string
  const zone = value.endsWith('+00') ? -3 : value.length
  return new Date(value[10] === ' ' ? `${value.slice(0, 10)}T${value.slice(11, zone)}Z` : value)
}
