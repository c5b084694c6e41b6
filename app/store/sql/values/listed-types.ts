import { acceptedForms, isStorableText, type Phrase, type PropertyShape, toStorableText } from '#kernel/store'
import type { StoredForm } from './stored-form.ts'
import { isDay, isInstant, isLocalTime, isTime, isUuid } from './value-forms.ts'

/** How values of a column type are read from URLs and cursors, bound to statements, and converted for records. */
export interface ColumnType extends StoredForm {
  /** The SQL type for casts, without length or precision: `char` and `bit` would have the length 1. */
  readonly cast: string
  /** The cast of an array, if it is not the type with brackets. */
  readonly listCast?: string
  /** The smallest and the largest number of the type. */
  readonly range?: readonly [number, number]
  /** The values of an enum, or of the items of an array. */
  readonly values?: readonly (string | number)[]
  /** Undefined if the text is not a value of the type. */
  parse(text: string): unknown
  /** The texts that `parse` accepts, for error details. */
  readonly accepted?: Phrase
  /** Whether a JSON value can be compared with the column. */
  accepts(value: unknown): boolean
  /** The type of the items of an array. */
  readonly item?: ColumnType
  /** Whether an array of the type can hold the item. */
  holdsItem?(item: unknown): boolean
  /** The JSON types of the items of an array; undefined if they are not known. */
  readonly itemTypes?: PropertyShape['itemTypes']
  /** The column as an exact JSON value, because the form of the driver may lose digits. */
  exact?(column: string): string
  /** Converts the form of the driver to the form of the entity. */
  toRecord?(value: unknown): unknown
  /** Whether a value changes the stored one, if values that differ in JavaScript may be equal, such as 9.5 and 9.50. */
  isChanged?(stored: string, value: string): string
}

/** Whether a value changes the stored one: texts compare values of every type exactly. */
export const differAsTexts = (stored: string, value: string) => `${stored}::text is distinct from ${value}::text`

const int2: readonly [number, number] = [-32_768, 32_767]
const int4: readonly [number, number] = [-2_147_483_648, 2_147_483_647]
export const number = /^-?\d{1,131}(\.\d{1,1000})?$/
export const asText = (column: string) => `${column}::text`

export const text: ColumnType = {
  cast: 'text',
  parse: toStorableText,
  accepts: isStorableText,
}

function integer(cast: string, range: readonly [number, number]): ColumnType {
  const [min, max] = range
  const inRange = (value: unknown) => Number.isInteger(value) && min <= (value as number) && (value as number) <= max
  return {
    cast,
    range,
    parse: (value) => (String(Number(value)) === value && inRange(Number(value)) ? Number(value) : undefined),
    accepted: acceptedForms.integer(min, max),
    accepts: inRange,
  }
}

function floating(cast: string, fits: (value: number) => boolean): ColumnType {
  const accepts = (value: unknown) => Number.isFinite(value) && fits(value as number)
  return {
    cast,
    parse: (value) => (number.test(value) && accepts(Number(value)) ? Number(value) : undefined),
    accepted: acceptedForms.number,
    accepts,
  }
}

function temporal(cast: string, accepts: (value: unknown) => boolean, accepted: Phrase): ColumnType {
  return { cast, parse: (value) => (accepts(value) ? value : undefined), accepted, accepts, exact: asText }
}

const timestampFormat = `'YYYY-MM-DD"T"HH24:MI:SS.US'`
const timestamptz: ColumnType = {
  ...temporal('timestamptz', isInstant, acceptedForms.instant),
  exact: (column) => `to_char(${column} at time zone 'UTC', ${timestampFormat}) || 'Z'`,
  toRecord: toDate,
}
const timestamp: ColumnType = {
  ...temporal('timestamp', isLocalTime, acceptedForms.localTime),
  exact: (column) => `to_char(${column}, ${timestampFormat})`,
  toRecord: toDate,
}
export const numeric: ColumnType = {
  cast: 'numeric',
  parse: (value) => (number.test(value) ? value : undefined),
  accepted: acceptedForms.number,
  accepts: (value) => typeof value === 'string' && number.test(value),
  exact: asText,
}
const boolean: ColumnType = {
  cast: 'bool',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  accepted: acceptedForms.boolean,
  accepts: (value) => typeof value === 'boolean',
}

/** A type whose values are bound as text, and that clients cannot send. */
export function unlisted(cast: string): ColumnType {
  return { ...text, cast, parse: () => undefined, exact: asText }
}

export const listedTypes: Readonly<Record<string, ColumnType>> = {
  smallint: integer('int2', int2),
  int: integer('int4', int4),
  integer: integer('int4', int4),
  serial: integer('int4', int4),
  real: floating('float4', (value) => Number.isFinite(Math.fround(value)) && (value === 0 || Math.fround(value) !== 0)),
  'double precision': floating('float8', () => true),
  boolean,
  bool: boolean,
  uuid: {
    cast: 'uuid',
    parse: (value) => (isUuid(value) ? value.toLowerCase() : undefined),
    accepted: acceptedForms.uuid,
    accepts: isUuid,
    isChanged: differAsTexts,
  },
  timestamptz,
  'timestamp with time zone': timestamptz,
  timestamp,
  'timestamp without time zone': timestamp,
  date: temporal('date', isDay, acceptedForms.date),
  time: temporal('time', isTime, acceptedForms.time),
  text,
  varchar: text,
  'character varying': text,
  char: { ...text, cast: 'bpchar', isChanged: differAsTexts },
  character: { ...text, cast: 'bpchar', isChanged: differAsTexts },
  citext: { ...text, cast: 'citext' },
  bit: { ...unlisted('"bit"'), isChanged: differAsTexts },
  json: unlisted('json'),
  jsonb: unlisted('jsonb'),
}

/** Other names of the same types. */
export const aliases: Readonly<Record<string, string>> = {
  int2: 'smallint',
  smallserial: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  bigserial: 'bigint',
  float4: 'real',
  float8: 'double precision',
  bpchar: 'character',
}

/** Parses `2026-01-02 01:04:05.123456+00`, the form of both drivers in a UTC session; without `+00` it has no zone. */
export function toDate(text: unknown): Date {
  const value = text as string
  const zone = value.endsWith('+00') ? -3 : value.length
  return new Date(value[10] === ' ' ? `${value.slice(0, 10)}T${value.slice(11, zone)}Z` : value)
}
