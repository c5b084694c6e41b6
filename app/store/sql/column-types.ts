import { DateType, type EntityProperty, JsonType, type Platform, Type, UuidType } from '@mikro-orm/core'
import { getOrCreate } from '#kernel/store'

/** How values of a column type cross the borders: URL, cursor token, SQL, record. Both drivers behave alike here. */
export interface ColumnType {
  /** The type as a cast, without length or precision. */
  readonly cast: string
  /** The cast of a list of them, where it is not the type with brackets. */
  readonly listCast?: string
  /** The numbers it holds. */
  readonly range?: readonly [number, number]
  /** Undefined when the text is no such value. */
  parse(text: string): unknown
  /** Whether a JSON value can be compared with the column. */
  accepts(value: unknown): boolean
  /** Of a list, the type of its items. */
  readonly item?: ColumnType
  /** Whether a list of this type can hold the item. */
  holdsItem?(item: unknown): boolean
  /** The column as a JSON value that loses nothing: the driver's own form may drop digits. */
  exact?(column: string): string
  /** From the driver's form to the entity's. */
  toRecord?(value: unknown): unknown
}

const int2: readonly [number, number] = [-32_768, 32_767]
const int4: readonly [number, number] = [-2_147_483_648, 2_147_483_647]
const time = /^(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?|24:00:00)$/
const offset = /(Z|[+-](0\d|1[0-5]):[0-5]\d)$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const number = /^-?\d{1,131}(\.\d{1,1000})?$/
const asText = (column: string) => `${column}::text`

const text: ColumnType = {
  cast: 'text',
  parse: (value) => (isText(value) ? value : undefined),
  accepts: isText,
}

function integer(cast: string, range: readonly [number, number]): ColumnType {
  const inRange = (value: unknown) => Number.isInteger(value) && isWithin(value as number, range)
  return {
    cast,
    range,
    parse: (value) => (String(Number(value)) === value && inRange(Number(value)) ? Number(value) : undefined),
    accepts: inRange,
  }
}

function floating(cast: string, isHeld: (value: number) => boolean): ColumnType {
  const accepts = (value: unknown) => Number.isFinite(value) && isHeld(value as number)
  return {
    cast,
    parse: (value) => (number.test(value) && accepts(Number(value)) ? Number(value) : undefined),
    accepts,
  }
}

function temporal(cast: string, accepts: (value: unknown) => boolean, exact = asText): ColumnType {
  return { cast, parse: (value) => (accepts(value) ? value : undefined), accepts, exact }
}

const moment = `'YYYY-MM-DD"T"HH24:MI:SS.US'`
const timestamptz: ColumnType = {
  ...temporal('timestamptz', isInstant, (column) => `to_char(${column} at time zone 'UTC', ${moment}) || 'Z'`),
  toRecord: (value) => toDate(value as string),
}
const timestamp: ColumnType = {
  ...temporal('timestamp', isLocalTime, (column) => `to_char(${column}, ${moment})`),
  toRecord: (value) => toDate(value as string),
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
  uuid: { cast: 'uuid', parse: (value) => (uuid.test(value) ? value.toLowerCase() : undefined), accepts: isUuid },
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

const known = new WeakMap<EntityProperty, ColumnType>()

/** Types without an entry are written as text, which the database reads; what a client writes is none of them. */
export function columnType(property: EntityProperty): ColumnType {
  return getOrCreate(known, property, () => {
    if (property.nativeEnumName) return nativeEnum(property.nativeEnumName, property.items ?? [])
    const declared = (property.columnTypes?.[0] ?? 'text').toLowerCase()
    const name = declared.replace(/\(.*?\)/, '').trim()
    if (!name.endsWith('[]')) return typeNamed(name, declared, property)
    const item = typeNamed(name.slice(0, -2), declared, property)
    return { ...text, cast: name, item, parse: item.parse, exact: asText, holdsItem: (value) => holds(item, value) }
  })
}

function typeNamed(name: string, declared: string, property: EntityProperty): ColumnType {
  if (name === 'bigint') return bigint(property)
  if (name === 'numeric' || name === 'decimal') return { ...numeric, ...numericRange(declared) }
  return types[name] ?? { ...text, cast: name, parse: () => undefined, exact: asText }
}

/** What fits into the digits of `numeric(4,2)`. */
function numericRange(declared: string): Pick<ColumnType, 'range'> {
  const [, precision, scale = 0] = (/\((\d+)(?:,\s*(\d+))?\)/.exec(declared) ?? []).map(Number)
  if (!precision) return {}
  const largest = Number(`0${'9'.repeat(Math.max(0, precision - scale))}.${'9'.repeat(scale)}`)
  return { range: [-largest, largest] }
}

/** Whether a value of a document can be one of a column type as it is; numbers of any kind come as numbers. */
function holds({ accepts }: ColumnType, value: unknown): boolean {
  if (typeof value !== 'number' || accepts === isText) return accepts(value)
  return accepts(value) || accepts(String(value))
}

/** In the form the entity has it: a bigint, a number or a string. */
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

/** PGlite can write a list of texts, but not a list of a type that was made after it started. */
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

/** A column as it is selected: a custom type may read it through a function of the database. */
export function readable(column: string, { customType }: EntityProperty, platform: Platform): string {
  return customType?.convertToJSValueSQL?.(column, platform) ?? column
}

/** The conversion of one property, or null when the driver's value is already right. */
export function recordConverter(property: EntityProperty, platform: Platform): ((value: unknown) => unknown) | null {
  const { customType } = property
  if (!customType || customType instanceof JsonType) return columnType(property).toRecord ?? null
  return leavesValues(customType) ? null : (value) => customType.convertToJSValue(value, platform)
}

/** Whether the type takes the driver's value as it is, as these do with this database. */
function leavesValues({ convertToJSValue }: Type<unknown>): boolean {
  return [Type, DateType, UuidType].some(({ prototype }) => prototype.convertToJSValue === convertToJSValue)
}

/** `2026-01-02 01:04:05.123456+00`, as both drivers write it in a UTC session; without `+00` when it has no zone. */
function toDate(value: string): Date {
  const zone = value.endsWith('+00') ? -3 : value.length
  return new Date(value[10] === ' ' ? `${value.slice(0, 10)}T${value.slice(11, zone)}Z` : value)
}

/** `2026-01-02T01:04:05.123456Z` */
function isInstant(value: unknown): boolean {
  return typeof value === 'string' && offset.test(value) && isLocalTime(value.replace(offset, ''))
}

function isLocalTime(value: unknown): boolean {
  if (typeof value !== 'string' || value[10] !== 'T') return false
  return isDay(value.slice(0, 10)) && isTime(value.slice(11)) && value.slice(11) !== '24:00:00'
}

/** JavaScript takes the 30th of February for a day in March; PostgreSQL refuses it. */
function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || value.startsWith('0000')) return false
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && time.test(value)
}

/** Written in the one way an id is. */
function isInt8(value: unknown): value is string {
  if (typeof value !== 'string' || !/^(0|-?[1-9]\d{0,18})$/.test(value)) return false
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && uuid.test(value)
}

function isWithin(value: number, [min, max]: readonly [number, number]): boolean {
  return value >= min && value <= max
}
