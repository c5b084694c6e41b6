import { acceptedForms, isStorableText, type Phrase, type PropertyShape, toStorableText } from '#kernel/store'
import type { StoredForm } from './stored-form.ts'
import { toDate } from './times.ts'
import { isDay, isInfinity, isInstant, isLocalTime, isStoredDay, isStoredTime, isTime, isUuid } from './value-forms.ts'

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
  /** Whether an update with an unchanged value keeps the stored one, whose form documents do not show. */
  readonly keepsForm?: boolean
}

/** Whether a value changes the stored one: texts compare values of every type exactly. */
export const differAsTexts = (stored: string, value: string) => `${stored}::text is distinct from ${value}::text`

/** JSON null is shown like NULL, and 1.0 like 1. */
const differAsJson = (stored: string, value: string) =>
  `nullif(${stored}, 'null'::jsonb) is distinct from nullif(${value}, 'null'::jsonb)`

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
  const isValue = (value: unknown) => Number.isFinite(value) && fits(value as number)
  return {
    cast,
    parse: (value) => (number.test(value) && isValue(Number(value)) ? Number(value) : undefined),
    accepted: acceptedForms.number,
    accepts: (value) => isValue(value) || isNonFinite(value),
  }
}

/** Whether a value of a cursor is the text of a number that JSON does not have. */
function isNonFinite(value: unknown): boolean {
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity'
}

interface TemporalForms {
  readonly accepted: Phrase
  /** Whether a text is a value that clients send. */
  isValue(text: unknown): boolean
  /** Whether a text of a cursor is a value that clients do not send, such as a year B.C. */
  isStored(text: unknown): boolean
}

function temporal(cast: string, { accepted, isValue, isStored }: TemporalForms): ColumnType {
  return {
    cast,
    parse: (value) => (isValue(value) || (isInfinity(value) && isStored(value)) ? value : undefined),
    accepted,
    accepts: (value) => isValue(value) || isStored(value),
    exact: asText,
  }
}

/** A time in ISO 8601, or in the form of the database if its year has no such form. */
function exactTime(column: string, iso: string): string {
  return `case when ${column} >= '0001-01-01' and ${column} < '10000-01-01' then ${iso} else ${column}::text end`
}

const timestampFormat = `'YYYY-MM-DD"T"HH24:MI:SS.US'`
const timestamptz: ColumnType = {
  ...temporal('timestamptz', { accepted: acceptedForms.instant, isValue: isInstant, isStored: isStoredTime }),
  exact: (column) => exactTime(column, `to_char(${column} at time zone 'UTC', ${timestampFormat}) || 'Z'`),
  toRecord: toDate,
}
const timestamp: ColumnType = {
  ...temporal('timestamp', { accepted: acceptedForms.localTime, isValue: isLocalTime, isStored: isStoredTime }),
  exact: (column) => exactTime(column, `to_char(${column}, ${timestampFormat})`),
  toRecord: toDate,
}
export const numeric: ColumnType = {
  cast: 'numeric',
  parse: (value) => (number.test(value) ? value : undefined),
  accepted: acceptedForms.number,
  accepts: (value) => typeof value === 'string' && (number.test(value) || isNonFinite(value)),
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
  date: temporal('date', { accepted: acceptedForms.date, isValue: isDay, isStored: isStoredDay }),
  time: temporal('time', { accepted: acceptedForms.time, isValue: isTime, isStored: isTime }),
  text,
  varchar: text,
  'character varying': text,
  char: { ...text, cast: 'bpchar', isChanged: differAsTexts },
  character: { ...text, cast: 'bpchar', isChanged: differAsTexts },
  citext: { ...text, cast: 'citext' },
  bit: { ...unlisted('"bit"'), isChanged: differAsTexts },
  json: unlisted('json'),
  jsonb: { ...unlisted('jsonb'), isChanged: differAsJson, keepsForm: true },
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
