import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Relation, ResourceType } from '#kernel/plugin'

/** The argument of the trigger of one table. */
export interface TableRecord {
  /** The types of its rows. */
  readonly rows: RowRecord[]
  /** The to-many relationships, and the inverse sides of one-to-one relationships, whose members its rows are or join. */
  readonly links: LinkRecord[]
}

interface RowRecord extends Discriminated {
  readonly type: string
  /** The column of the key. */
  readonly key: string
  /** The column with the time of a soft deletion. */
  readonly deleted?: string
  /** The members of a resource by column. */
  readonly columns: Readonly<Record<string, readonly string[]>>
  /** The columns of the members whose values are kept, by member. */
  readonly kept?: Readonly<Record<string, string>>
}

interface LinkRecord extends Discriminated {
  readonly type: string
  readonly member: string
  /** The column with the key of the resource that has the relationship. */
  readonly owner: string
  /** The column with the key of the member. */
  readonly memberKey: string
  /** Whether the key of the member is kept. */
  readonly keeps?: true
}

/** The rows of a table that a record is about; without it, all rows. */
interface Discriminated {
  readonly discriminator?: string
  readonly values?: readonly string[]
}

export type FindMeta = (entity: ResourceType['entity']) => EntityMetadata

/** The records by table, quoted, of the types with `changes: true`. Throws a sentence if a table cannot be recorded. */
export function tableRecords(types: readonly ResourceType[], metaOf: FindMeta): ReadonlyMap<string, TableRecord> {
  const records = new Map<string, TableRecord>()
  const recordOf = (meta: EntityMetadata): TableRecord => {
    const table = [meta.schema, meta.tableName].flatMap((name) => (name && name !== '*' ? quote(name) : [])).join('.')
    const existing = records.get(table)
    if (existing) return existing
    const created: TableRecord = { rows: [], links: [] }
    records.set(table, created)
    return created
  }
  for (const type of types) {
    const meta = metaOf(type.entity)
    checkTable(type, meta)
    recordOf(meta).rows.push(rowRecord(type, meta))
    for (const relation of type.relations) {
      const property = relation.property === null ? undefined : propertyOf(meta, relation.property)
      const found = property && linkRecord(type, relation, property, metaOf)
      if (found) recordOf(found.meta).links.push(found.link)
    }
  }
  return records
}

function checkTable({ name, file }: ResourceType, meta: EntityMetadata): void {
  const cause =
    meta.view || meta.virtual || meta.expression
      ? 'its rows are those of a view'
      : meta.root.inheritanceType === 'tpt'
        ? 'its rows are spread over several tables'
        : null
  if (cause) throw new Error(`${name} (${file}): changes: true needs a table of its own, but ${cause}.`)
}

function rowRecord(type: ResourceType, meta: EntityMetadata): RowRecord {
  const columns: Record<string, string[]> = {}
  const values: Record<string, string> = {}
  for (const field of [...type.attributes, ...type.relations]) {
    const property = field.property === null ? undefined : propertyOf(meta, field.property)
    if (!property || (field.role === 'attribute' && field.on)) continue
    const stored = columnsOf(property, meta)
    for (const column of stored) {
      columns[column] ??= []
      columns[column].push(field.name)
    }
    const [column] = stored
    const isSecret = field.hidden === true || (field.role === 'attribute' && field.writeOnly === true)
    if (column !== undefined && stored.length === 1 && !isSecret) values[field.name] = column
  }
  const deleted = Object.keys(type.deletedValues?.() ?? {}).map((name) => propertyOf(meta, name)?.fieldNames[0])[0]
  return {
    type: type.name,
    key: propertyOf(meta, type.id.property)?.fieldNames[0] as string,
    ...(deleted !== undefined && { deleted }),
    columns,
    ...(type.declaration.history && { kept: values }),
    ...discriminatedBy(meta),
  }
}

/** The columns of a property in the row itself. */
function columnsOf(property: EntityProperty, meta: EntityMetadata): readonly string[] {
  const { kind, name, owner, fieldNames = [], formula } = property
  if (kind === 'm:n' || kind === '1:m' || (kind === '1:1' && !owner) || formula) return []
  if (kind !== 'embedded' || property.object) return fieldNames
  return meta.props.filter(({ embedded }) => embedded?.[0] === name).flatMap((member) => columnsOf(member, meta))
}

/** The rows of an entity that shares its table with others. */
function discriminatedBy(meta: EntityMetadata): Discriminated {
  const { root } = meta
  if (root.inheritanceType !== 'sti' || meta === root) return {}
  const own = Object.entries(root.discriminatorMap ?? {})
    .filter(([, entity]) => entity === meta.class || entity.prototype instanceof meta.class)
    .map(([value]) => value)
  return { discriminator: propertyOf(root, root.discriminatorColumn as string)?.fieldNames[0] as string, values: own }
}

interface FoundLink {
  readonly meta: EntityMetadata
  readonly link: LinkRecord
}

/** The table whose rows decide on the members of a relationship, unless the row of its owner does. */
function linkRecord(
  type: ResourceType,
  relation: Relation,
  property: EntityProperty,
  metaOf: FindMeta,
): FoundLink | null {
  const { kind, owner, targetMeta } = property
  const link = { type: type.name, member: relation.name, ...(type.declaration.history && { keeps: true as const }) }
  if (kind === 'm:n') return joinTable(link, property, metaOf)
  if ((kind !== '1:m' && (kind !== '1:1' || owner)) || !targetMeta) return null
  return foreignKey(link, relation, property, metaOf(type.entity))
}

type LinkBase = Pick<LinkRecord, 'type' | 'member' | 'keeps'>

function joinTable(base: LinkBase, property: EntityProperty, metaOf: FindMeta): FoundLink {
  const inverse = property.owner ? undefined : propertyOf(property.targetMeta as EntityMetadata, property.mappedBy)
  const { joinColumns, inverseJoinColumns, pivotEntity } = inverse ?? property
  const [ownerKey, memberKey] = inverse ? [inverseJoinColumns, joinColumns] : [joinColumns, inverseJoinColumns]
  const link = { ...base, owner: ownerKey[0] as string, memberKey: memberKey[0] as string }
  return { meta: metaOf(pivotEntity), link }
}

/** Rows that refer to the owner by a foreign key: the members, or those that join them. */
function foreignKey(
  { keeps, ...base }: LinkBase,
  { throughProperty }: Relation,
  { targetMeta, mappedBy }: EntityProperty,
  ownerMeta: EntityMetadata,
): FoundLink | null {
  const meta = targetMeta as EntityMetadata
  const back = propertyOf(meta, mappedBy)
  const member = propertyOf(meta, throughProperty ?? (meta.primaryKeys[0] as string))
  if (!back || !member) return null
  const { fieldNames, polymorphTargets, discriminatorMap = {} } = back
  const link = {
    ...base,
    owner: fieldNames.at(-1) as string,
    memberKey: member.fieldNames.at(-1) as string,
    ...(keeps && !throughProperty && { keeps }),
  }
  if (!polymorphTargets) return { meta, link }
  const values = Object.keys(discriminatorMap).filter((value) => discriminatorMap[value] === ownerMeta.class)
  return { meta, link: { ...link, discriminator: fieldNames[0] as string, values } }
}

function propertyOf(meta: EntityMetadata, name: string): EntityProperty | undefined {
  return meta.properties[name as never] as EntityProperty | undefined
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
