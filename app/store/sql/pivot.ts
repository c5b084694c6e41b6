import type { EntityProperty } from '@mikro-orm/core'
import {
  type Condition,
  getOrCreate,
  pivotColumnsOf,
  type Relation,
  type ResourceType,
  type Row,
  type Selection,
} from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import type { StoreUnit } from '../unit.ts'
import { readable } from './column-types.ts'
import { type Compiler, metaOf, type Pivot, quote, tableOf } from './compiler.ts'
import { type Conversion, convertEach, toConversions } from './select.ts'

/** The selected columns of pivot rows. */
export function pivotColumns(relation: Relation, { alias, meta }: Pivot): string[] {
  return pivotColumnsOf(relation).map(({ property, key }) => {
    const [column = ''] = propertyOf(property, meta).fieldNames
    return `${alias}.${quote(column)} as ${quote(key)}`
  })
}

/** Whether the pivot table is enough to read the members: only keys are selected, and a foreign key ensures the rows. */
export function readsKeysOnly({ meta, sides: [, member] }: Pivot, { properties, links, chained }: Selection): boolean {
  const column = meta.props.find(({ fieldNames }) => fieldNames?.[0] === member)
  const isKept = column?.createForeignKeyConstraint !== false && !column?.nullable
  return isKept && properties.length === 1 && links.length + chained.length === 0
}

/** The key of a member as a column of the pivot table, under its name in a record. */
export function memberKey(compiler: Compiler, { alias, sides: [, member] }: Pivot, type: ResourceType): string {
  const { property } = type.id
  const column = readable(`${alias}.${quote(member)}`, compiler.property(type, property), compiler.platform)
  return `${column} as ${quote(property)}`
}

export function pivotTable({ meta, alias }: Pivot): string {
  return `${tableOf(meta)} ${alias}`
}

/** Orders members by the primary key of their pivot rows. */
export function pivotOrder({ alias, meta }: Pivot): string {
  const columns = meta.primaryKeys.flatMap((name) => (meta.properties[name as never] as EntityProperty).fieldNames)
  return columns.map((column) => `${alias}.${quote(column)}`).join(', ')
}

/** Selects a member with several pivot rows once, by its first row that meets the conditions. */
export function firstRowOnly(compiler: Compiler, pivot: Pivot, conditions: readonly Condition[]): string[] {
  const { alias, meta, sides } = pivot
  const [key, ...rest] = meta.primaryKeys
  if (key === undefined || rest.length > 0) return []
  const other = compiler.alias()
  const [column = ''] = (meta.properties[key as never] as EntityProperty).fieldNames
  const same = sides.map((side) => `${other}.${quote(side)} = ${alias}.${quote(side)}`)
  const earlier = `${other}.${quote(column)} < ${alias}.${quote(column)}`
  const alike = conditions.flatMap((condition) =>
    condition.kind === 'pivot' ? [compiler.pivotCondition(condition.condition, { ...pivot, alias: other })] : [],
  )
  const where = [...same, earlier, ...alike].join(' and ')
  return [`not exists (select 1 from ${tableOf(meta)} ${other} where ${where})`]
}

/** Converts pivot values from the form of the driver to the form of the entity, in place. */
export function convertPivot(relation: Relation, rows: readonly Row[], { orm }: StoreUnit): void {
  convertEach(
    rows,
    getOrCreate(conversions, relation, () => conversionsOf(relation, orm)),
  )
}

const conversions = new WeakMap<Relation, readonly Conversion[]>()

function conversionsOf(relation: Relation, orm: Orm): readonly Conversion[] {
  const { owner, property, pivotFields } = relation
  if (pivotFields.length === 0) return []
  const collection = metaOf(owner, orm).properties[property as never] as EntityProperty
  const owning = collection.owner
    ? collection
    : (collection.targetMeta?.properties[collection.mappedBy as never] as EntityProperty)
  const meta = orm.getMetadata().get(owning.pivotEntity)
  return toConversions(
    pivotColumnsOf(relation).map(({ property: name, key }) => [key, propertyOf(name, meta)]),
    orm,
  )
}

function propertyOf(property: string, meta: Pivot['meta']): EntityProperty {
  return meta.properties[property as never] as EntityProperty
}
