import type { EntityProperty, Platform } from '@mikro-orm/core'

/** How values of a column type cross the borders: URL, cursor token, SQL, record. Both drivers behave alike here. */
export interface ColumnType {
  /** The type as a cast, without length or precision. */
  readonly cast: string
  /** The numbers it holds. */
  readonly range?: readonly [number, number]
  /** Undefined when the text is no such value. */
  parse(text: string): unknown
  /** Whether a JSON value can be compared with the column. */
  accepts(value: unknown): boolean
  /** Whether a list of this type can hold the item. */
  holdsItem?(item: unknown): boolean
  /** The column as a JSON value that loses nothing: the driver's own form may drop digits. */
  exact?(column: string): string
  /** From the driver's form to the entity's. */
  toRecord?(value: unknown): unknown
}

const int4: readonly [number, number] = [-2_147_483_648, 2_147_483_647]
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const number = /^-?\d{1,131}(\.\d{1,1000})?$/

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

function temporal(cast: string, format: string, pattern: RegExp): ColumnType {
  const accepts = (value: unknown) => typeof value === 'string' && pattern.test(value) && isMoment(value, cast)
  return {
    cast,
    parse: (value) => (accepts(value) ? value : undefined),
    accepts,
    exact: (column) =>
      cast === 'timestamptz' ? `to_char(${column} at time zone 'UTC', '${format}')` : `${column}::text`,
  }
}

const types: Readonly<Record<string, ColumnType>> = {
  smallint: integer('int2', [-32_768, 32_767]),
  int: integer('int4', int4),
  integer: integer('int4', int4),
  serial: integer('int4', int4),
  bigint: {
    cast: 'int8',
    range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    parse: (value) => (isInt8(value) ? value : undefined),
    accepts: (value) => typeof value === 'string' && isInt8(value),
    exact: (column) => `${column}::text`,
  },
  numeric: {
    cast: 'numeric',
    parse: (value) => (number.test(value) ? value : undefined),
    accepts: (value) => typeof value === 'string' && number.test(value),
    exact: (column) => `${column}::text`,
  },
  real: { cast: 'float4', parse: parseFloating, accepts: Number.isFinite },
  'double precision': { cast: 'float8', parse: parseFloating, accepts: Number.isFinite },
  boolean: {
    cast: 'bool',
    parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
    accepts: (value) => typeof value === 'boolean',
  },
  uuid: { cast: 'uuid', parse: (value) => (uuid.test(value) ? value.toLowerCase() : undefined), accepts: isUuid },
  timestamptz: {
    ...temporal('timestamptz', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"', timestamp),
    toRecord: (value) => toDate(value as string),
  },
  date: temporal('date', '', /^\d{4}-\d\d-\d\d$/),
  time: temporal('time', '', /^\d\d:\d\d:\d\d(\.\d{1,6})?$/),
}

/** Types without an entry behave as text. */
export function columnType(property: EntityProperty): ColumnType {
  const declared = (property.columnTypes?.[0] ?? 'text').toLowerCase()
  const name = declared.replace(/\(.*\)/, '').trim()
  if (name === 'numeric') return { ...(types.numeric as ColumnType), ...numericRange(declared) }
  if (name.endsWith('[]')) return { ...text, cast: name, holdsItem: (item) => holds(types[name.slice(0, -2)], item) }
  return types[name] ?? (name.startsWith('json') ? { ...text, cast: name } : text)
}

/** What fits into the digits of `numeric(4,2)`. */
function numericRange(declared: string): Pick<ColumnType, 'range'> {
  const [, precision, scale = 0] = (/\((\d+)(?:,\s*(\d+))?\)/.exec(declared) ?? []).map(Number)
  if (!precision) return {}
  const largest = Number(`0${'9'.repeat(Math.max(0, precision - scale))}.${'9'.repeat(scale)}`)
  return { range: [-largest, largest] }
}

/** Whether a value of a document can be one of a column type as it is; numbers of any kind come as numbers. */
function holds(type: ColumnType = text, value: unknown): boolean {
  if (typeof value !== 'number' || type === text) return type.accepts(value)
  return type.accepts(value) || type.accepts(String(value))
}

/** The conversion of one property, or null when the driver's value is already right. */
export function recordConverter(property: EntityProperty, platform: Platform): ((value: unknown) => unknown) | null {
  const { customType } = property
  if (customType && customType.constructor.name !== 'JsonType')
    return (value) => customType.convertToJSValue(value, platform)
  return columnType(property).toRecord ?? null
}

/** `2026-01-02 01:04:05.123456+00`, as both drivers write it in a UTC session. */
function toDate(value: string): Date {
  const isPlain = value[10] === ' ' && value.endsWith('+00')
  return new Date(isPlain ? `${value.slice(0, 10)}T${value.slice(11, Math.min(23, value.length - 3))}Z` : value)
}

/** JavaScript takes the 30th of February for a day in March; PostgreSQL refuses it. */
function isMoment(value: string, cast: string): boolean {
  if (cast === 'time') return isDate(`2000-01-01T${value}Z`)
  const day = value.slice(0, 10)
  const isDay = isDate(`${day}T00:00:00Z`) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  return isDay && isDate(value) && !day.startsWith('0000')
}

function isDate(text: string): boolean {
  return !Number.isNaN(new Date(text).getTime())
}

function isInt8(text: string): boolean {
  return /^(0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

function parseFloating(value: string): number | undefined {
  return number.test(value) && Number.isFinite(Number(value)) ? Number(value) : undefined
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
