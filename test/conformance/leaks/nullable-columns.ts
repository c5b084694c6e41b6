import type { App } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { execute, literal } from './manager.ts'

/** A column of a table. */
export interface Column {
  readonly table: string
  readonly column: string
}

/**
 * Lets the columns be null: without `not null`, their defaults, which may refer to a row, and the checks that name them. Returns a
 * function that declares these again, after the rows were restored.
 */
export async function makeNullable(app: App, columns: readonly Column[]): Promise<() => Promise<void>> {
  const restoring: string[] = []
  for (const { table, column } of columns) {
    const alter = `alter table ${quoteIdentifier(table)}`
    const alterColumn = `${alter} alter column ${quoteIdentifier(column)}`
    const { isRequired, value, checks } = await readRules(app, table, column)
    if (isRequired) {
      await execute(app, `${alterColumn} drop not null`)
      restoring.push(`${alterColumn} set not null`)
    }
    if (value !== null) {
      await execute(app, `${alterColumn} drop default`)
      restoring.push(`${alterColumn} set default ${value}`)
    }
    for (const { name, definition } of checks) {
      await execute(app, `${alter} drop constraint ${quoteIdentifier(name)}`)
      restoring.push(`${alter} add constraint ${quoteIdentifier(name)} ${definition}`)
    }
  }
  return async () => {
    for (const statement of restoring) await execute(app, statement)
  }
}

interface Rules {
  readonly isRequired: boolean
  /** The expression of the default. */
  readonly value: string | null
  readonly checks: readonly { readonly name: string; readonly definition: string }[]
}

async function readRules(app: App, table: string, column: string): Promise<Rules> {
  const [found] = await execute(
    app,
    `select json_build_object('isRequired', a.attnotnull,
       'value', (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
         where d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated = ''),
       'checks', (select coalesce(json_agg(json_build_object('name', c.conname, 'definition', pg_get_constraintdef(c.oid))), '[]')
         from pg_constraint c where c.conrelid = a.attrelid and c.contype = 'c' and a.attnum = any (c.conkey)))::text as rules
     from pg_attribute a where a.attrelid = ${literal(quoteIdentifier(table))}::regclass and a.attname = ${literal(column)}`,
  )
  return JSON.parse(String(found?.rules))
}
