import { ArrayType, type EntityMetadata, type EntityProperty } from '@mikro-orm/core'
import type { EntityShape, PropertyShape } from '#kernel/store'
import { columnType } from './column-types.ts'
import { isInlined, listEmbeddedMembers } from './columns/embedded.ts'
import { hasDiscriminator, listKeys, propertyOf } from './compiler.ts'
import { comparesUnchanged } from './orm-filter.ts'

/** Describes an entity to the kernel by MikroORM's metadata. */
export function describeEntity(meta: EntityMetadata): EntityShape {
  const [key] = listKeys(meta) as [string]
  return {
    name: meta.className,
    key,
    keyColumns: meta.primaryKeys.flatMap((name) => propertyOf(meta, name).fieldNames),
    ...(excludesRows(meta) && { excludesRows: true }),
    properties: new Map(
      meta.props
        .filter((property) => isStored(property, meta))
        .map((property) => [property.name, describeProperty(property, meta)]),
    ),
  }
}

/** Whether filters of MikroORM apply to the entity, or it shares its table with others (single table inheritance). */
function excludesRows(meta: EntityMetadata): boolean {
  return Object.keys(meta.filters).length > 0 || hasDiscriminator(meta)
}

/**
 * Whether the property is a relation, a formula, an embeddable, or has exactly one column, which may be that of another
 * property.
 */
function isStored(property: EntityProperty, { props }: EntityMetadata): boolean {
  const { kind, persist, fieldNames, primary, formula } = property
  if (isInlined(property) || (formula && (primary || kind === 'scalar'))) return true
  if (kind !== 'scalar' && kind !== 'embedded') return true
  const [column] = fieldNames ?? []
  if (!column || fieldNames.length > 1) return false
  return persist !== false || props.some((other) => other.persist !== false && other.fieldNames?.includes(column))
}

/** The inline embeddable of the property, or the property with the same column if this one is not persisted. */
function findWritingProperty(
  { embedded, persist, fieldNames }: EntityProperty,
  { props }: EntityMetadata,
): string | undefined {
  if (embedded || persist !== false) return embedded?.[0]
  return props.find((other) => other.persist !== false && other.fieldNames?.includes(fieldNames?.[0] as string))?.name
}

function describeProperty(property: EntityProperty, meta: EntityMetadata): PropertyShape {
  const { name, kind, targetMeta } = property
  const type = columnType(property)
  const writtenWith = findWritingProperty(property, meta)
  const maxLength = /^(?:var)?char\((\d+)\)$/.exec(property.columnTypes?.[0] ?? '')?.[1]
  const fractional = /^time( with(out)? time zone|tz)?(\([1-6]\))?$/.test(property.columnTypes?.[0] ?? '')
  const toMany = kind === '1:m' || kind === 'm:n'
  const toOne = kind === 'm:1' || kind === '1:1'
  return {
    name,
    role: toMany ? 'toMany' : toOne ? 'toOne' : 'scalar',
    lazy: property.lazy ?? false,
    ...((kind === 'embedded' || (kind === 'scalar' && property.ref)) && { wrapped: true }),
    ...(writtenWith && { writtenWith }),
    nullable: property.nullable ?? false,
    owner: !toMany && (kind !== '1:1' || property.owner === true),
    ...(hasColumn(property) && { column: property.fieldNames[0] }),
    ...(comparesUnchanged(property) && { comparesUnchanged: true }),
    ...(isFormula(property) && { computed: true }),
    ...describeMembers(property, meta),
    ...(maxLength && { maxLength: Number(maxLength) }),
    ...(fractional && { fractional }),
    ...(maxLength && type.cast === 'bpchar' && { isPadded: true }),
    ...(type.range && { range: type.range }),
    ...(type.values && { values: type.values }),
    ...(type.holdsItem && { holdsItem: type.holdsItem }),
    ...(type.itemTypes && !hasOwnForm(property) && { itemTypes: type.itemTypes }),
    ...(kind === 'm:n' && { association: property.pivotEntity }),
    ...(keepsMembers(property) && { keepsMembers: true }),
    ...(toOne && !property.polymorphTargets && targetMeta && { targetKey: targetMeta.primaryKeys[0] ?? 'id' }),
    ...(!property.polymorphTargets && targetMeta && { target: () => describeEntity(targetMeta) }),
    ...((property.mappedBy || property.inversedBy) && { inverse: property.mappedBy || property.inversedBy }),
    ...(targetMeta && { targets: (property.polymorphTargets ?? [targetMeta]).map((target) => target.class) }),
    parse: type.parse,
    ...(type.accepted && { accepted: type.accepted }),
    accepts: type.accepts,
  } as PropertyShape
}

/** Whether a type of the application converts the value. */
function hasOwnForm({ customType }: EntityProperty): boolean {
  return customType !== undefined && !(customType instanceof ArrayType)
}

/** A computed key is a column of a view. */
function hasColumn(property: EntityProperty): boolean {
  return property.fieldNames?.length === 1 && !isFormula(property) && !isInlined(property)
}

function isFormula({ kind, formula, primary }: EntityProperty): boolean {
  return formula !== undefined && kind === 'scalar' && !primary
}

function describeMembers(property: EntityProperty, meta: EntityMetadata): Pick<PropertyShape, 'members'> {
  const members = listEmbeddedMembers(property)?.map(
    ([name, member]) => [name, describeProperty(member, meta)] as const,
  )
  return members ? { members: new Map(members) } : {}
}

/** Whether members of the inverse side of a foreign key cannot be detached. */
function keepsMembers({ kind, owner, mappedBy, targetMeta, orphanRemoval }: EntityProperty): boolean {
  if (kind !== '1:m' && (kind !== '1:1' || owner)) return false
  const back = targetMeta?.properties[mappedBy as never] as EntityProperty | undefined
  return !orphanRemoval && !back?.nullable
}
