import type { Attribute, Relation, ResourceType, Unit } from '#kernel/plugin'
import { parseInfinity } from '#kernel/queries'

type Parse = (text: string) => unknown

/** Functions by attribute that convert a logged text to the value of an entity. Undefined if that is not possible. */
export type Conversions = ReadonlyMap<string, Parse>

/** The conversions of attributes. Of an attribute without one, a history shows no values. */
export function findConversions(
  { entity, shape }: ResourceType,
  fields: readonly (Attribute | Relation)[],
  unit: Unit,
): Conversions {
  const { properties } = unit.em.getMetadata().get(entity as never)
  const conversions = new Map<string, Parse>()
  for (const field of fields) {
    if (field.role !== 'attribute' || field.serialize || field.extract || field.embedded) continue
    const column = shape.properties.get(field.property ?? '')
    const property = properties[column?.name as never] as Property | undefined
    if (!column || !property) continue
    const conversion = column.comparesUnchanged ? null : findTypeConversion(property)
    conversions.set(field.name, conversion ?? kindParsers[field.kind] ?? ((text) => column.parse(text)))
  }
  return conversions
}

/** The part of a property of MikroORM that says how its values are converted. */
interface Property {
  readonly columnTypes: readonly string[]
  /** The values of an enum. */
  readonly items?: readonly unknown[]
  readonly customType?: {
    readonly platform?: unknown
    convertToJSValue(value: unknown, platform: unknown): unknown
    convertToJSValueSQL?(column: string, platform: unknown): string
  }
}

/**
 * Returns the conversion of logged texts by the custom type of a property: the one that reads use. Its result is undefined if the
 * type converts by SQL, if the log may have another form of the value than the driver, or if the value has a form that the type
 * does not convert. Null without a custom type.
 */
function findTypeConversion(property: Property): Parse | null {
  const { customType } = property
  if (!customType) return null
  const { platform } = customType
  const parse = findParser(property)
  if (!parse || (customType.convertToJSValueSQL?.('column', platform) ?? 'column') !== 'column') return () => undefined
  return (text) => {
    const value = parse(text)
    if (value === undefined) return undefined
    try {
      return customType.convertToJSValue(value, platform)
    } catch {
      return undefined // the function of the type throws any error for a former form of the value
    }
  }
}

const number: Readonly<Record<string, Parse>> = {
  smallint: parseNumber,
  int: parseNumber,
  integer: parseNumber,
  serial: parseNumber,
}
const text: Readonly<Record<string, Parse>> = { text: String, varchar: String, citext: String, uuid: String }
const boolean: Readonly<Record<string, Parse>> = { boolean: (value) => value === 'true' }
const items = { ...number, ...text, ...boolean }

/** Parsers of column types whose values have the same form in the log as from the driver. */
const parsers: Readonly<Record<string, Parse>> = {
  ...items,
  numeric: String,
  decimal: String,
  json: parseJson,
  jsonb: parseJson,
}

const aliases: Readonly<Record<string, string>> = {
  'character varying': 'varchar',
  int2: 'smallint',
  int4: 'int',
  bool: 'boolean',
}

/** Undefined if the log may have another form of the values. */
function findParser({ columnTypes, items: values }: Property): Parse | undefined {
  const column = (columnTypes[0] ?? '').toLowerCase().replace(/\s*\(.*?\)/, '')
  const name = column.replace(/\[\]$/, '')
  const known = aliases[name] ?? name
  if (name === column) return parsers[known]
  return known in items || values ? parseJson : undefined
}

/** Parsers of kinds whose values the column type does not parse. */
const kindParsers: Readonly<Partial<Record<Attribute['kind'], Parse>>> = {
  arrayList: parseJson,
  arrayHash: parseJson,
  obj: parseJson,
  oneOf: parseJson,
  dateTime: parseTime,
}

function parseNumber(text: string): number | undefined {
  const value = Number(text)
  return Number.isNaN(value) && text !== 'NaN' ? undefined : value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A column without a time zone holds UTC. */
function parseTime(text: string): Date | undefined {
  const infinity = parseInfinity(text)
  if (infinity) return infinity
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(time.getTime()) ? undefined : time
}
