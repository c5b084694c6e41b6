import {
  type Condition,
  listPivotColumns,
  type Relation,
  type ResourceType,
  type Row,
  type Selection,
} from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { readable } from './column-types.ts'
import { quoteIdentifier } from './columns/column-sql.ts'
import { type Compiler, metaOf, owningSide, type Pivot, propertyOf, rowsOf } from './compiler.ts'
import { type Conversion, convertEach, toConversions } from './select.ts'

declare module '#kernel/store' {
  interface Relation {
    /** Converts the columns of pivot rows. Set by the first statement that reads them. */
    pivotConversions?: readonly Conversion[]
  }
}

export function pivotColumns(compiler: Compiler, relation: Relation, { alias, meta }: Pivot): string[] {
  return listPivotColumns(relation).map(
    ({ property, key }) => `${compiler.column(rowsOf(meta), property, alias)} as ${quoteIdentifier(key)}`,
  )
}

/** Whether the join table is enough to read the members: only keys are selected, and a foreign key ensures the rows. */
export function readsKeysOnly({ meta, sides: [, member] }: Pivot, selection: Selection): boolean {
  const { properties, links, chained, version } = selection
  const column = meta.props.find(({ fieldNames }) => fieldNames?.[0] === member)
  const isForeignKey = column?.createForeignKeyConstraint !== false && !column?.nullable
  return isForeignKey && properties.length === 1 && !version && links.length + chained.length === 0
}

/** The key of a member as a column of the join table, under its name in a record. */
export function memberKey(compiler: Compiler, { alias, sides: [, member] }: Pivot, type: ResourceType): string {
  const { property } = type.id
  const column = readable(`${alias}.${quoteIdentifier(member)}`, compiler.property(type, property), compiler.platform)
  return `${column} as ${quoteIdentifier(property)}`
}

/** Orders members by the primary key of their pivot rows. */
export function pivotOrder(compiler: Compiler, { alias, meta }: Pivot): string {
  return meta.primaryKeys.map((name) => compiler.column(rowsOf(meta), name, alias)).join(', ')
}

/** Selects a member with several pivot rows once, by its first row that meets the conditions. */
export function firstRowOnly(compiler: Compiler, pivot: Pivot, conditions: readonly Condition[]): string[] {
  const { alias, meta, sides } = pivot
  const [key, ...rest] = meta.primaryKeys
  if (key === undefined || rest.length > 0) return []
  const rows = rowsOf(meta)
  const earlier = compiler.alias()
  const where = [
    ...sides.map((side) => `${earlier}.${quoteIdentifier(side)} = ${alias}.${quoteIdentifier(side)}`),
    `${compiler.column(rows, key, earlier)} < ${compiler.column(rows, key, alias)}`,
  ]
  for (const condition of conditions) {
    if (condition.kind === 'pivot') where.push(compiler.condition(condition.condition, rows, earlier))
  }
  return [`not exists (select 1 from ${compiler.table(rows)} ${earlier} where ${where.join(' and ')})`]
}

/** Converts pivot values from the form of the driver to the form of the entity, in place. */
export function convertPivot(relation: Relation, rows: readonly Row[], orm: Orm): void {
  relation.pivotConversions ??= createPivotConversions(relation, orm)
  convertEach(rows, relation.pivotConversions)
}

function createPivotConversions(relation: Relation, orm: Orm): readonly Conversion[] {
  const { owner, property } = relation
  const collection = propertyOf(metaOf(owner, orm), property as string)
  const meta = orm.getMetadata().get(owningSide(collection).pivotEntity)
  return toConversions(
    listPivotColumns(relation).map(({ property: name, key }) => [key, propertyOf(meta, name)]),
    orm,
  )
}
