import { type Condition, type Context, isIn, type Persister, type ResourceType } from '#kernel/store'
import { hasSqlState } from '../errors/sql-state.ts'
import { metaOf, tableExpression } from '../sql/compiler.ts'
import { runStatement } from '../sql/run-statement.ts'
import { createStatement, type StatementBuilder } from '../sql/statement-builder.ts'
import { unitOf } from '../unit.ts'

/**
 * Locks rows by one statement per table, in the order of the table names and primary keys. Two transactions that lock
 * their rows by it do not deadlock. Rows that do not exist for the requester stay unlocked.
 */
export const lockInOrder: NonNullable<Persister['lockInOrder']> = async (rows, context) => {
  const { orm } = unitOf(context)
  const tables = Map.groupBy(rows, ([type]) => tableExpression(metaOf(type, orm)))
  for (const table of [...tables.keys()].toSorted()) await lockTable(tables.get(table) as TypeKeys[], context)
}

type TypeKeys = readonly [type: ResourceType, keys: ReadonlySet<unknown>]

/** Several types may share a table. */
async function lockTable(rows: readonly TypeKeys[], context: Context): Promise<void> {
  const types = rows.map(([type]) => type)
  const type = types[0] as ResourceType
  const statement = await resolveKey(types, context)
  if (!statement) return
  const conditions = rows.map(([{ id }, keys]) => isIn(id.property, [...keys]))
  for (const [index, { name }] of types.entries())
    statement.addCondition(conditions[index] as Condition, `lock ${name}`)
  await runStatement(type, statement, (compiler) => {
    const alias = compiler.alias()
    const where = types.map((one, index) => {
      const keyCondition = compiler.condition(conditions[index] as Condition, one, alias)
      return `(${[keyCondition, ...compiler.filters(one, alias)].join(' and ')})`
    })
    const order = compiler.meta(type).primaryKeys.map((key) => compiler.column(type, key, alias))
    const source = `${compiler.table(type)} ${alias} where ${where.join(' or ')} order by ${order.join(', ')}`
    return `select 1 from ${source} for no key update of ${alias}`
  })
}

/** Returns null if a scope cannot be resolved: the operation on the row reports the error. */
async function resolveKey(types: readonly ResourceType[], context: Context): Promise<StatementBuilder | null> {
  try {
    return await createStatement(types[0] as ResourceType, types, [], context, types)
  } catch (error) {
    if (hasSqlState(error)) throw error // the transaction is aborted
    return null
  }
}
