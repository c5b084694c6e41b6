import type { EntityMetadata } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { quote } from '#store/sql/columns/column-sql.ts'
import { execute, literal, managerOf } from '#test/prove/leaks/manager.ts'
import { associationOf } from '#test/prove/leaks/protection.ts'
import { keysOf } from '#test/prove/leaks/rows.ts'
import { tableOf } from '#test/prove/leaks/table-key.ts'
import { isView } from '#test/prove/leaks/tables.ts'

/**
 * Inserts rows into the empty tables of types that the application did not create, and into the join tables of their
 * targets, by the definitions of the columns. A table stays empty if its constraints reject the rows: returns the names
 * of such types, with the error of the database.
 */
export async function addTableRows(
  app: App,
  types: readonly ResourceType[],
  enough: number,
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>()
  let missing = await emptyTables(app, types)
  for (let found = -1; found !== missing.length; ) {
    found = missing.length
    for (const table of missing) {
      for (let n = 1; n <= enough; n++)
        await insertRow(app, table, n).catch(({ message }) => errors.set(table, message))
    }
    missing = await emptyTables(app, types)
  }
  const views = await execute(
    app,
    `select relname as name from pg_class where relkind = 'm' and relnamespace = current_schema()::regnamespace`,
  )
  for (const { name } of views) await execute(app, `refresh materialized view ${quote(String(name))}`)
  const emptyTypes = new Map<string, string>()
  for (const type of types) {
    if ((await keysOf(app, type)).length > 0) continue
    emptyTypes.set(type.name, errors.get((await tableOf(app, type)).table) ?? 'its view returns none')
  }
  return emptyTypes
}

async function emptyTables(app: App, types: readonly ResourceType[]): Promise<string[]> {
  const metadata = (await managerOf(app)).getMetadata().getAll()
  const joins = types.flatMap(({ relations }) => relations.flatMap((relation) => associationOf(metadata, relation)))
  const tables = new Set(joins.map(({ tableName }: EntityMetadata) => tableName))
  for (const type of types) {
    if (!(await isView(app, type)) && (await keysOf(app, type)).length === 0)
      tables.add((await tableOf(app, type)).table)
  }
  const empty: string[] = []
  for (const table of tables) {
    const [row] = await execute(app, `select exists (select from ${quote(table)}) as "hasRows"`)
    if (!row?.hasRows) empty.push(table)
  }
  return empty
}

interface Column {
  readonly name: string
  readonly type: string
  /** The category of the type in `pg_type`. */
  readonly category: string
  /** The table and the column that a foreign key refers to. */
  readonly target: string | null
  readonly targetColumn: string | null
}

async function insertRow(app: App, table: string, n: number): Promise<void> {
  const columns = await requiredColumns(app, table)
  const names = columns.map(({ name }) => quote(name)).join(', ')
  const values = columns.map((column) => valueSql(column, n)).join(', ')
  await execute(app, `insert into ${quote(table)} ${names ? `(${names}) values (${values})` : 'default values'}`)
}

async function requiredColumns(app: App, table: string): Promise<readonly Column[]> {
  const found = await execute(
    app,
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, y.typcategory as category,
       f.confrelid::regclass::text as target,
       (select quote_ident(b.attname) from pg_attribute b where b.attrelid = f.confrelid
         and b.attnum = f.confkey[array_position(f.conkey, a.attnum)]) as "targetColumn"
     from pg_attribute a join pg_type y on y.oid = a.atttypid
       left join lateral (select * from pg_constraint c where c.contype = 'f' and c.conrelid = a.attrelid
         and a.attnum = any (c.conkey) order by cardinality(c.conkey) desc limit 1) f on true
     where a.attrelid = ${literal(quote(table))}::regclass and a.attnum > 0 and not a.attisdropped
       and (a.attnotnull or y.typnotnull) and not a.atthasdef and a.attidentity = ''
     order by a.attnum`,
  )
  return found as unknown as readonly Column[]
}

/** Values by category. The text of a type that has no entry is that of an empty list. */
const values: Readonly<Record<string, (n: number) => string>> = {
  N: (n) => `${n}`,
  S: (n) => `'${n} sample'`,
  D: (n) => `timestamp '2020-01-0${n}'`,
  B: () => 'false',
  T: (n) => `interval '${n} days'`,
  I: (n) => `inet '203.0.113.${n}'`,
  R: () => `'empty'`,
}

function valueSql({ type, category, target, targetColumn }: Column, n: number): string {
  if (target) return `(select t.${targetColumn} from ${target} t order by t::text limit 1 offset ${n - 1})`
  if (category === 'E') return `(enum_range(null::${type}))[1]`
  if (type === 'uuid') return 'gen_random_uuid()'
  return `(${values[category]?.(n) ?? `'{}'`})::${type}`
}
