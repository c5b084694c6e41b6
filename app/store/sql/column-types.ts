import { DateType, type EntityProperty, IntervalType, JsonType, type Platform, Type, UuidType } from '@mikro-orm/core'
import { acceptedForms, getOrCreate, isStorableText, phrase } from '#kernel/store'
import { embeddedConverter, isInlined, listEmbeddedMembers } from './columns/embedded.ts'
import {
  aliases,
  asText,
  type ColumnType,
  differAsTexts,
  listedTypes,
  number,
  numeric,
  text,
  unlisted,
} from './values/listed-types.ts'
import { storedForm } from './values/stored-form.ts'
import { toDate } from './values/times.ts'
import { isInt8 } from './values/value-forms.ts'

const columnTypes = new WeakMap<EntityProperty, ColumnType>()

/** The type of a column. */
export function columnType(property: EntityProperty): ColumnType {
  return getOrCreate(columnTypes, property, () => {
    const type = declaredType(property)
    return type.item ? type : withStoredForm(type, property)
  })
}

function declaredType(property: EntityProperty): ColumnType {
  if (isInlined(property)) return listedTypes.jsonb as ColumnType
  if (property.nativeEnumName) {
    const { items = [] } = property
    const value = withValues(nativeEnum(property.nativeEnumName, items), items)
    return property.array ? arrayType(value, `${value.cast}[]`) : value
  }
  const written = property.columnTypes?.[0] ?? 'text'
  const declared = written.includes('"') ? written : written.toLowerCase()
  const name = declared.replace(/\(.*?\)/, '').trim()
  if (!name.endsWith('[]')) return withValues(typeNamed(name, declared, property), property.items)
  const item = withValues(typeNamed(name.slice(0, -2), declared, property), property.items)
  return arrayType(item, item.cast === 'text' ? name : `${item.cast}[]`)
}

/** The values of an enum: a check constraint, or a type of the database, rejects other ones. */
function withValues(type: ColumnType, values: EntityProperty['items']): ColumnType {
  if (!values) return type
  const texts = values.map(String)
  return {
    ...type,
    values,
    parse: (text) => (texts.includes(text) ? type.parse(text) : undefined),
    accepted: phrase('{values}', { values: texts }),
  }
}

function arrayType(item: ColumnType, cast: string): ColumnType {
  const { values, parse, accepted } = item
  const holdsItem = (value: unknown) => values?.includes(value as string) ?? holds(item, value)
  const isChanged = (item.keepsForm ? undefined : item.isChanged) ?? differAsTexts
  const ofItem = { parse, ...(accepted && { accepted }), ...(values && { values }) }
  const itemTypes = listItemTypes(item)
  return { ...text, ...ofItem, cast, item, exact: asText, holdsItem, isChanged, ...(itemTypes && { itemTypes }) }
}

/** Numbers with more digits than JSON numbers are texts as well. */
function listItemTypes(item: ColumnType): ColumnType['itemTypes'] {
  const { accepts, values, parse } = item
  if (values) return [typeof values[0] === 'number' ? 'number' : 'string']
  if (accepts(true)) return ['boolean']
  if (accepts(0)) return [accepts(0.5) ? 'number' : 'integer']
  const isUnlisted = accepts === isStorableText && parse('') === undefined
  return isUnlisted ? undefined : holds(item, 0) ? ['number', 'string'] : ['string']
}

/** A number may have another form in the entity than in the column, such as `9.5` for 950 cents. */
function withStoredForm(type: ColumnType, property: EntityProperty): ColumnType {
  const form = storedForm(property)
  const { toStored } = form
  if (!toStored) return { ...type, ...form }
  const { range: _, ...rest } = type
  const parse = (text: string) => {
    const value = type.parse(text) ?? (type.accepts(0) && number.test(text) ? Number(text) : undefined)
    return typeof value !== 'number' || type.accepts(toStored(value)) ? value : undefined
  }
  const isChanged = type.isChanged ?? (property.customType instanceof JsonType ? undefined : differAsTexts)
  const accepted = type.accepts(0) ? acceptedForms.number : type.accepted
  return { ...rest, ...form, parse, ...(accepted && { accepted }), ...(isChanged && { isChanged }) }
}

function typeNamed(written: string, declared: string, property: EntityProperty): ColumnType {
  const name = aliases[written] ?? written
  if (name === 'bigint') return bigint(property)
  if (name === 'numeric' || name === 'decimal')
    return { ...numeric, ...numericRange(declared), isChanged: differAs(declared) }
  return listedTypes[name] ?? { ...unlisted(name), isChanged: differAsTexts }
}

/** Compares numbers with the digits that the column keeps. */
function differAs(type: string) {
  return (stored: string, value: string) => `${stored} is distinct from ${value}::${type}`
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
  if (typeof value !== 'number' || accepts === isStorableText) return accepts(value)
  return accepts(value) || accepts(String(value))
}

/** The entity declares the form of the values: bigint, number or string. */
function bigint({ runtimeType }: EntityProperty): ColumnType {
  const toEntity = runtimeType === 'bigint' ? BigInt : runtimeType === 'number' ? Number : String
  return {
    cast: 'int8',
    range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    parse: (value) => (isInt8(value) ? toEntity(value) : undefined),
    accepted: acceptedForms.integer('-9223372036854775808', '9223372036854775807'),
    accepts: isInt8,
    exact: asText,
  }
}

/** PGlite can bind an array of texts, but not an array of a type that was created after it started. */
function nativeEnum(name: string, items: readonly unknown[]): ColumnType {
  const cast = name.replace(/[^.]+/g, '"$&"')
  return { ...text, cast, listCast: `text[]::${cast}[]`, accepts: (value) => items.includes(value), exact: asText }
}

/** The expression that selects a column. A custom type may wrap it in an SQL function. */
export function readable(column: string, { customType }: EntityProperty, platform: Platform): string {
  return customType?.convertToJSValueSQL?.(column, platform) ?? column
}

/** Returns the conversion of a property. Null if the form of the driver is the form of the entity. */
export function recordConverter(property: EntityProperty, platform: Platform): ((value: unknown) => unknown) | null {
  const { customType } = property
  const members = listEmbeddedMembers(property)
  if (members) return embeddedConverter(property, members, (member) => recordConverter(member, platform))
  if (!customType || customType instanceof JsonType) return columnType(property).toRecord ?? null
  if (hasNoConversion(customType)) return null
  const convert = (value: unknown) => customType.convertToJSValue(value, platform)
  return customType instanceof IntervalType ? (text) => shownAs(text, convert(text) as object) : convert
}

/** MikroORM declares an interval as a text and reads it as an object: documents show the text. */
function shownAs(text: unknown, interval: object): object {
  return Object.defineProperty(interval, 'toJSON', { value: () => text })
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
