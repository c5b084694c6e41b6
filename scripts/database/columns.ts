import type { CatalogColumn } from './introspect.ts'

/** How a column is mapped: source fragments of the entity and the declaration. */
export interface ColumnMapping {
  /** The property builder without the column name: `string().length(40)`. */
  readonly property: string
  /** The builder of the declaration. Null if documents cannot show the values. */
  readonly builder: string | null
  readonly rules: string
  /** Whether clients may send values. */
  readonly isWritable: boolean
  /** Why the mapping is not complete. */
  readonly remark?: string
}

type Mapping = (column: CatalogColumn) => ColumnMapping

const mapped = (property: string, builder: string, rules = ''): Mapping => {
  return () => ({ property, builder, rules, isWritable: true })
}

/** Digits that a number of JavaScript holds exactly. */
const exactDigits = 15
const decimalPattern = `.pattern(/^-?\\d+(\\.\\d+)?$/)`

const mappings: Readonly<Record<string, Mapping>> = {
  int2: mapped('smallint()', 'integer'),
  int4: mapped('integer()', 'integer'),
  int8: mapped(`bigint('number')`, 'integer'),
  float4: mapped('float()', 'decimal'),
  float8: mapped('double()', 'decimal'),
  numeric,
  bool: mapped('boolean()', 'boolean'),
  text: mapped('text()', 'string'),
  citext: mapped(`text().columnType('citext')`, 'string'),
  varchar: ({ length }) => bounded(length ? `string().length(${length})` : `string().columnType('varchar')`, length),
  bpchar: ({ length }) => bounded(characterSource(length), length),
  uuid: mapped('uuid()', 'uuid'),
  date: mapped('date()', 'date'),
  time: ({ precision }) => temporal('time()', 'time', 'time', precision),
  timestamp: ({ precision }) => temporal('datetime()', 'timestamp', 'dateTime', precision),
  timestamptz: ({ precision }) => temporal('datetime()', 'timestamptz', 'dateTime', precision),
  interval: ({ baseType }) => bounded(`interval().columnType('${baseType}')`, null),
  json: (column) => json(column, `.columnType('json')`),
  jsonb: (column) => json(column, ''),
}

/** Items of arrays that both drivers return as a list. */
const items: Readonly<Record<string, string>> = {
  text: 'array()',
  varchar: 'array()',
  uuid: 'array()',
  int2: 'array<number>()',
  int4: 'array<number>()',
  float4: 'array<number>()',
  float8: 'array<number>()',
}

/** The mapping of a column. `values` is the list of an enum in the source. */
export function mapColumn(column: CatalogColumn, values: string | null): ColumnMapping {
  const { typeName, typeKind, itemType, baseType: type } = column
  if (typeKind === 'e' && values)
    return {
      property: `enum(${values}).nativeEnumName(${quoted(typeName)})`,
      builder: 'string',
      rules: `.enum(${values})`,
      isWritable: true,
    }
  if (itemType) return mapArray(type, itemType)
  const mapping = typeKind === 'b' ? mappings[typeName] : undefined
  if (mapping) return inDomain(mapping(column), column)
  if (shownAsText.has(typeName)) {
    const remark = `The type ${type} is shown as text and cannot be written`
    return { property: `string()${typeSource(column)}`, builder: 'string', rules: '', isWritable: false, remark }
  }
  const property = typeName === 'bytea' ? 'blob()' : `unknown()${typeSource(column)}`
  return { property, builder: null, rules: '', isWritable: false, remark: `The type ${type} has no form in JSON` }
}

function inDomain(mapping: ColumnMapping, { domainType }: CatalogColumn): ColumnMapping {
  if (domainType === null) return mapping
  const builder = mapping.property.replace(/\.columnType\('[^']*'\)$/, '')
  return { ...mapping, property: `${builder}.columnType(${quoted(domainType)})` }
}

/** Types that both drivers return as text. */
const shownAsText = new Set(
  ['inet', 'cidr', 'macaddr', 'macaddr8', 'money', 'xml', 'tsvector', 'bit', 'varbit', 'timetz', 'ltree'].concat([
    'int4range',
    'int8range',
    'numrange',
    'tsrange',
    'tstzrange',
    'daterange',
    'name',
  ]),
)

/** The type as MikroORM reads it from the database, or it would find a difference: `timetz(2)` is `time(2) with time zone`. */
function typeSource({ typeName, baseType }: CatalogColumn): string {
  const modifier = /\(.+\)/.exec(baseType)?.[0] ?? ''
  return `.columnType(${quoted(`${typeName}${modifier}`)})`
}

function mapArray(type: string, itemType: string): ColumnMapping {
  const property = items[itemType]
  const column = `.columnType(${quoted(`${itemType}[]`)})`
  if (property) return { property: `${property}${column}`, builder: 'arrayList', rules: '', isWritable: true }
  const remark = `The type ${type} has no form in JSON`
  return { property: `unknown()${column}`, builder: null, rules: '', isWritable: false, remark }
}

/** `bpchar` has no limit; `char` is `char(1)`. */
export function characterSource(length: number | null): string {
  return length ? `character().length(${length})` : `string().columnType('bpchar')`
}

function numeric({ precision, scale }: CatalogColumn): ColumnMapping {
  const isExact = precision !== null && precision - Math.min(scale ?? 0, 0) <= exactDigits
  const size = precision === null ? `.columnType('numeric')` : sizeSource(precision, scale ?? 0)
  return isExact
    ? { property: `decimal('number')${size}`, builder: 'decimal', rules: '', isWritable: true }
    : { property: `decimal('string')${size}`, builder: 'string', rules: decimalPattern, isWritable: true }
}

/** MikroORM reads a negative scale without its sign from the database. */
function sizeSource(precision: number, scale: number): string {
  if (scale < 0) return `.ignoreSchemaChanges('type').columnType('numeric(${precision},${scale})')`
  return `.precision(${precision}).scale(${scale})`
}

function bounded(property: string, length: number | null): ColumnMapping {
  return { property, builder: 'string', rules: length ? `.maxLength(${length})` : '', isWritable: true }
}

function temporal(property: string, name: string, builder: string, precision: number | null): ColumnMapping {
  const type = precision === null ? name : `${name}(${precision})`
  return { property: `${property}.columnType('${type}')`, builder, rules: '', isWritable: true }
}

const onlyObjects = 'Requests must contain an object; other stored JSON values are shown'

function json({ default: value }: CatalogColumn, column: string): ColumnMapping {
  const isList = value?.startsWith(`'[`) ?? false
  return isList
    ? { property: `json<unknown[]>()${column}`, builder: 'arrayList', rules: '', isWritable: true }
    : { property: `json<Json>()${column}`, builder: 'arrayHash', rules: '', isWritable: true, remark: onlyObjects }
}

/** A string literal of TypeScript. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}
