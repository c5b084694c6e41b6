import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { DiscriminatedRows, LinkTable, TableShape } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { discriminatorValues, hasDiscriminator, owningSide, propertyOf, quotedTableName } from './compiler.ts'

/** Describes the table of an entity by MikroORM's metadata. */
export function describeTable(meta: EntityMetadata, orm: Orm): TableShape {
  const findProperty = (name: string) => propertyOf(meta, name) as EntityProperty | undefined
  return {
    name: quotedTableName(meta),
    kind: readKind(meta),
    ...discriminatedRows(meta, orm),
    listColumns(name) {
      const property = findProperty(name)
      return property ? listColumns(property, meta) : []
    },
    findLinks(name, through) {
      const property = findProperty(name)
      return property ? findLinks(property, through, meta, orm) : null
    },
  }
}

function readKind({ view, virtual, expression, root }: EntityMetadata): TableShape['kind'] {
  if (view || virtual || expression) return 'view'
  return root.inheritanceType === 'tpt' ? 'tables' : 'table'
}

/** The rows of an entity that shares its table with others. */
function discriminatedRows(meta: EntityMetadata, orm: Orm): DiscriminatedRows {
  if (!hasDiscriminator(meta)) return {}
  const { fieldNames } = propertyOf(meta.root, meta.root.discriminatorColumn as string)
  return { discriminator: fieldNames[0] as string, values: discriminatorValues(meta, orm) }
}

function listColumns(property: EntityProperty, meta: EntityMetadata): readonly string[] {
  const { kind, name, owner, fieldNames = [], formula } = property
  if (kind === 'm:n' || kind === '1:m' || (kind === '1:1' && !owner) || formula) return []
  if (kind !== 'embedded' || property.object) return fieldNames
  return meta.props.filter(({ embedded }) => embedded?.[0] === name).flatMap((member) => listColumns(member, meta))
}

function findLinks(property: EntityProperty, through: string | null, meta: EntityMetadata, orm: Orm): LinkTable | null {
  const { kind, owner, targetMeta } = property
  if (kind === 'm:n') return joinTable(property, orm)
  if ((kind !== '1:m' && (kind !== '1:1' || owner)) || !targetMeta) return null
  return referringTable(property, targetMeta, through, meta)
}

function joinTable(property: EntityProperty, orm: Orm): LinkTable {
  const { joinColumns, inverseJoinColumns, pivotEntity } = owningSide(property)
  const sides = [joinColumns[0] as string, inverseJoinColumns[0] as string] as const
  const [owner, member] = property.owner ? sides : [sides[1], sides[0]]
  return { name: quotedTableName(orm.getMetadata().get(pivotEntity)), owner, member }
}

/** Rows that refer to the owner by a foreign key: the members, or those that join them. */
function referringTable(
  { mappedBy }: EntityProperty,
  meta: EntityMetadata,
  through: string | null,
  owner: EntityMetadata,
): LinkTable | null {
  const back = propertyOf(meta, mappedBy as string) as EntityProperty | undefined
  const member = propertyOf(meta, through ?? (meta.primaryKeys[0] as string)) as EntityProperty | undefined
  if (!back || !member) return null
  const { fieldNames, polymorphTargets, discriminatorMap = {} } = back
  const table = {
    name: quotedTableName(meta),
    owner: fieldNames.at(-1) as string,
    member: member.fieldNames.at(-1) as string,
  }
  if (!polymorphTargets) return table
  const values = Object.keys(discriminatorMap).filter((value) => discriminatorMap[value] === owner.class)
  return { ...table, discriminator: fieldNames[0] as string, values }
}
