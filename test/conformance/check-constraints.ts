import type { App } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { execute, literal } from '#test/conformance/leaks/manager.ts'

/** A check of a table, or of the domain of a column. */
export interface Check {
  readonly name: string
  readonly columns: readonly string[]
  readonly definition: string
  /** The condition in a statement that selects the columns. */
  readonly condition: string
}

/** The expressions that a column of a new row may have, in the order in which they are tried; null is its default. */
export type Candidates = ReadonlyMap<string, readonly (string | null)[]>

export type Solution = { readonly chosen: ReadonlyMap<string, string | null> } | { readonly violated: Check }

/** Returns the checks of a table and of the domains of its columns. */
export async function readChecks(app: App, table: string): Promise<Check[]> {
  const oid = `${literal(quoteIdentifier(table))}::regclass`
  const found = await execute(
    app,
    `with recursive domains (name, oid, base) as (
       select a.attname, y.oid, y.typbasetype from pg_attribute a join pg_type y on y.oid = a.atttypid
       where a.attrelid = ${oid} and a.attnum > 0 and y.typtype = 'd'
       union all
       select name, y.oid, y.typbasetype from domains join pg_type y on y.oid = domains.base and y.typtype = 'd')
     select c.conname as name, pg_get_constraintdef(c.oid) as definition, false as "isDomain",
       to_json(array(select attname from pg_attribute where attrelid = ${oid} and attnum = any (c.conkey) order by attnum)) as columns
     from pg_constraint c where c.conrelid = ${oid} and c.contype = 'c'
     union all
     select c.conname, pg_get_constraintdef(c.oid), true, to_json(array[d.name])
     from domains d join pg_constraint c on c.contypid = d.oid and c.contype = 'c' order by 1`,
  )
  return found.map(({ name, definition, isDomain, columns }) => {
    const [, expression = 'true'] = /^CHECK (\(.*\))/s.exec(String(definition)) ?? []
    const [column = ''] = columns as string[]
    const ofDomain = `(select ${expression} from (select ${quoteIdentifier(column)} as value) domain)`
    const condition = isDomain ? ofDomain : expression
    return { name: String(name), columns: columns as string[], definition: String(definition), condition }
  })
}

/** The most rows that one statement compares with a check. */
const combinations = 2000

/** Chooses an expression for each column so that all checks of the table hold: the database evaluates them. */
export async function satisfyChecks(
  app: App,
  table: string,
  all: readonly Check[],
  candidates: Candidates,
): Promise<Solution> {
  const definitions = await readDefinitions(app, table)
  const chosen = new Map<string, string | null>()
  for (const { columns, checks } of groupChecks(all)) {
    const valid = new Map<string, readonly (string | null)[]>()
    for (const column of columns) {
      const own = checks.filter((check) => check.columns.join() === column)
      const rows = (candidates.get(column) ?? [null]).map((expression) => new Map([[column, expression]]))
      const holding = await findHolding(app, definitions, rows, own)
      if (holding.length === 0) return { violated: own[0] as Check }
      valid.set(
        column,
        holding.map((row) => row.get(column) ?? null),
      )
    }
    const shared = checks.filter((check) => check.columns.length > 1)
    const [row] = await findHolding(app, definitions, combine(valid), shared)
    if (!row) return { violated: shared[0] as Check }
    for (const [column, expression] of row) chosen.set(column, expression)
  }
  return { chosen }
}

interface CheckGroup {
  readonly columns: ReadonlySet<string>
  readonly checks: readonly Check[]
}

/** Puts checks with common columns into one group. */
function groupChecks(checks: readonly Check[]): CheckGroup[] {
  let groups: CheckGroup[] = []
  for (const check of checks) {
    const related = groups.filter(({ columns }) => check.columns.some((column) => columns.has(column)))
    const columns = new Set([...related.flatMap((group) => [...group.columns]), ...check.columns])
    const joined = { columns, checks: [...related.flatMap((group) => group.checks), check] }
    groups = [...groups.filter((group) => !related.includes(group)), joined]
  }
  return groups
}

type RowChoice = ReadonlyMap<string, string | null>

/** All rows of these expressions; of a long list only the first ones. */
function combine(valid: Candidates): RowChoice[] {
  const most = Math.max(1, Math.floor(combinations ** (1 / Math.max(1, valid.size))))
  return [...valid].reduce<RowChoice[]>(
    (rows, [column, expressions]) =>
      expressions.slice(0, most).flatMap((expression) => rows.map((row) => new Map([...row, [column, expression]]))),
    [new Map()],
  )
}

/** Returns the rows for which all checks hold. A check may fail for a row with an error: then each row is evaluated on its own. */
async function findHolding(
  app: App,
  definitions: Definitions,
  rows: readonly RowChoice[],
  checks: readonly Check[],
): Promise<RowChoice[]> {
  if (checks.length === 0) return [...rows]
  const columns = [...(rows[0]?.keys() ?? [])]
  const values = rows.map((row, index) => {
    const expressions = columns.map((column) => {
      const { type, fallback } = definitions.get(column) as Definition
      return `(${row.get(column) ?? fallback})::${type}`
    })
    return `(${[index, ...expressions].join(', ')})`
  })
  const conditions = checks.map(({ condition }) => `(${condition}) is not false`).join(' and ')
  const names = ['"row number"', ...columns.map(quoteIdentifier)].join(', ')
  const text = `select "row number" as number from (values ${values.join(', ')}) candidates (${names}) where ${conditions} order by 1`
  const found = await execute(app, text).catch(() => null)
  if (found) return found.map(({ number }) => rows[Number(number)] as RowChoice)
  if (rows.length === 1) return []
  const single: RowChoice[] = []
  for (const row of rows) single.push(...(await findHolding(app, definitions, [row], checks)))
  return single
}

interface Definition {
  /** The SQL type below all domains. */
  readonly type: string
  /** The default as SQL. */
  readonly fallback: string
}

type Definitions = ReadonlyMap<string, Definition>

async function readDefinitions(app: App, table: string): Promise<Definitions> {
  const found = await execute(
    app,
    `select a.attname as name, format_type(b.oid, b.typmod) as type,
       case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as fallback
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum join lateral (
       with recursive nested (oid, typmod, depth) as (
         select a.atttypid, a.atttypmod, 0 union all
         select t.typbasetype, t.typtypmod, depth + 1 from nested join pg_type t on t.oid = nested.oid and t.typtype = 'd')
       select * from nested order by depth desc limit 1) b on true
     where a.attrelid = ${literal(quoteIdentifier(table))}::regclass and a.attnum > 0 and not a.attisdropped`,
  )
  return new Map(
    found.map(({ name, type, fallback }) => [
      String(name),
      { type: String(type), fallback: fallback === null ? 'null' : String(fallback) },
    ]),
  )
}
