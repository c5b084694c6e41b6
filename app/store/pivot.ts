import type { EntityProperty } from '@mikro-orm/core'
import { type Attribute, type Condition, pivotKey, type Rec, type Relation } from '#kernel'
import { recordConverter } from './columns.ts'
import { type Compiler, type Pivot, quote } from './compiler.ts'

/** What is shown of the association rows, each value under its `pivotKey`. */
export function pivotColumns({ pivotFields }: Relation, { alias, meta }: Pivot): string[] {
  return pivotFields.map((field) => {
    const [column = ''] = propertyOf(field, meta).fieldNames
    return `${alias}.${quote(column)} as ${quote(pivotKey(field))}`
  })
}

/** Members stand in the order of their association rows. */
export function pivotOrder({ alias, meta }: Pivot): string {
  const columns = meta.primaryKeys.flatMap((name) => (meta.properties[name as never] as EntityProperty).fieldNames)
  return columns.map((column) => `${alias}.${quote(column)}`).join(', ')
}

/** A member listed twice is read once, by its first row that meets the conditions; a plain join table lists none twice. */
export function firstRowOnly(compiler: Compiler, pivot: Pivot, conditions: readonly Condition[]): string[] {
  const { alias, meta, sides } = pivot
  const [key, ...rest] = meta.primaryKeys
  if (key === undefined || rest.length > 0) return []
  const other = compiler.alias()
  const [column = ''] = (meta.properties[key as never] as EntityProperty).fieldNames
  const same = sides.map((side) => `${other}.${quote(side)} = ${alias}.${quote(side)}`)
  const earlier = `${other}.${quote(column)} < ${alias}.${quote(column)}`
  const alike = conditions.flatMap((condition) =>
    condition.kind === 'pivot' ? [compiler.ofPivot(condition.condition, { ...pivot, alias: other })] : [],
  )
  const where = [...same, earlier, ...alike].join(' and ')
  return [`not exists (select 1 from ${quote(meta.tableName)} ${other} where ${where})`]
}

export function convertPivot(
  compiler: Compiler,
  { pivotFields }: Relation,
  { meta }: Pivot,
  rows: readonly Rec[],
): void {
  for (const field of pivotFields) {
    const convert = recordConverter(propertyOf(field, meta), compiler.platform)
    const name = pivotKey(field)
    if (convert) for (const row of rows) if (row[name] !== null) row[name] = convert(row[name])
  }
}

function propertyOf({ property }: Attribute, meta: Pivot['meta']): EntityProperty {
  return meta.properties[property as never] as EntityProperty
}
