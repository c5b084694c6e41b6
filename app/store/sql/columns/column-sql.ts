import { type EntityMetadata, type EntityProperty, isRaw, type Platform } from '@mikro-orm/core'
import { columnType, readable } from '../column-types.ts'
import { isInlined, listEmbeddedMembers } from './embedded.ts'

/** The SQL of a property: its column, its formula, or the object that the columns of an inline embeddable form. */
export function columnSql(meta: EntityMetadata, property: EntityProperty, alias: string, platform: Platform): string {
  const { kind, formula, fieldNames, primary } = property
  if (isInlined(property)) return objectSql(property, alias, platform)
  // MikroORM also adds a formula to a relation that shares its column with another property.
  if (!formula || (kind !== 'scalar' && !primary)) return `${alias}.${quoteIdentifier(fieldNames[0] as string)}`
  const value = formulaSql(meta, formula, alias, platform)
  return primary ? value : `${value}::${columnType(property).cast}`
}

/**
 * The SQL of a formula. It receives the columns of the row by property: quoted for a text, and as MikroORM has them for the
 * function `quote`, which quotes them.
 */
function formulaSql(
  meta: EntityMetadata,
  formula: NonNullable<EntityProperty['formula']>,
  alias: string,
  platform: Platform,
): string {
  const table = { alias, name: meta.tableName, toString: () => alias } as Parameters<typeof formula>[1]
  const fragment = formula(meta.createColumnMappingObject(alias), table)
  if (isRaw(fragment)) return `(${platform.formatQuery(fragment.sql, [...fragment.params])})`
  const stored = meta.props.filter(({ persist, fieldNames }) => persist !== false && fieldNames?.length === 1)
  const columns = stored.map(({ name, fieldNames }) => [name, `${alias}.${quoteIdentifier(fieldNames[0] as string)}`])
  return `(${String(formula(Object.fromEntries(columns), table))})`
}

/** A nullable embeddable without a value is null, as in the entity. */
function objectSql(property: EntityProperty, alias: string, platform: Platform): string {
  const members = listEmbeddedMembers(property) ?? []
  const pairs = members.map(
    ([name, member]) => `'${name.replaceAll("'", "''")}', ${memberSql(member, alias, platform)}`,
  )
  // A function has at most 100 arguments.
  const parts = Array.from({ length: Math.ceil(pairs.length / maxPairs) }, (_, index) =>
    pairs.slice(index * maxPairs, (index + 1) * maxPairs),
  )
  const object = `(${parts.map((part) => `jsonb_build_object(${part.join(', ')})`).join(' || ')})`
  if (!property.nullable) return object
  const columns = columnsIn(property).map((name) => `${alias}.${quoteIdentifier(name)}`)
  return `(case when num_nonnulls(${columns.join(', ')}) > 0 then ${object} end)`
}

const maxPairs = 50

function columnsIn(property: EntityProperty): readonly string[] {
  const members = isInlined(property) ? listEmbeddedMembers(property) : undefined
  return members?.flatMap(([, member]) => columnsIn(member)) ?? property.fieldNames
}

/** A column in a JSON object has the form in which the driver returns it: as a text, if JSON would change the value. */
function memberSql(member: EntityProperty, alias: string, platform: Platform): string {
  if (isInlined(member)) return objectSql(member, alias, platform)
  const column = readable(`${alias}.${quoteIdentifier(member.fieldNames[0] as string)}`, member, platform)
  const { exact, item, cast } = columnType(member)
  return exact && !item && cast !== 'json' && cast !== 'jsonb' ? `${column}::text` : column
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
