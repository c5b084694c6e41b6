import type { EntityMetadata } from '@mikro-orm/core'
import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { execute, literal, readManager } from '#test/conformance/leaks/manager.ts'
import { findAssociation } from '#test/conformance/leaks/protection.ts'
import { readKeys } from '#test/conformance/leaks/rows.ts'
import { readTableKey } from '#test/conformance/leaks/table-key.ts'
import { isView } from '#test/conformance/leaks/tables.ts'
import { dateCandidates, numberCandidates, textCandidates } from './candidates.ts'
import { type Check, readChecks, satisfyChecks } from './check-constraints.ts'
import { requiredToOnes } from './sample.ts'

/** Why a type has no rows. */
export interface EmptyType {
  readonly reason: string
  /** False for a view that returns none, and for a type whose required relation has no row to refer to. */
  readonly isFault: boolean
}

/**
 * Inserts rows into the empty tables of types that the application did not create, and into the join tables of their
 * targets, by the definitions of the columns. A table stays empty if its constraints or triggers reject the rows: returns
 * the names of such types, with the error of the database.
 */
export async function addTableRows(
  app: App,
  types: readonly ResourceType[],
  enough: number,
): Promise<ReadonlyMap<string, EmptyType>> {
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
  for (const { name } of views) await execute(app, `refresh materialized view ${quoteIdentifier(String(name))}`)
  const emptyTypes = new Map<ResourceType, EmptyType>()
  for (const type of types) {
    if ((await readKeys(app, type)).length > 0) continue
    const reason = errors.get((await readTableKey(app, type)).table)
    emptyTypes.set(type, { reason: reason ?? emptyView, isFault: reason !== undefined })
  }
  return new Map([...withConsequences(emptyTypes)].map(([{ name }, empty]) => [name, empty]))
}

/** The reason of a view that returns no row: its query decides, so that no declaration would help. */
const emptyView = 'its view returns none'

/** Replaces the reason of types that would have rows if another type had: only that one is a fault, and none of a cycle. */
function withConsequences(emptyTypes: ReadonlyMap<ResourceType, EmptyType>): Map<ResourceType, EmptyType> {
  const emptyTargets = ({ relations }: ResourceType) =>
    requiredToOnes(relations).flatMap(({ targets }) => targets.filter((target) => emptyTypes.has(target)))
  const found = new Map([...emptyTypes].filter(([type]) => emptyTargets(type).length === 0))
  const addConsequence = (type: ResourceType, target: ResourceType) =>
    found.set(type, { reason: `it requires a row of ${target.name}, which has none`, isFault: false })
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const type of emptyTypes.keys()) {
      const target = emptyTargets(type).find((one) => found.has(one))
      if (!found.has(type) && target) addConsequence(type, target)
    }
  }
  for (const type of emptyTypes.keys()) {
    if (!found.has(type)) addConsequence(type, emptyTargets(type)[0] as ResourceType)
  }
  return new Map([...emptyTypes, ...found])
}

async function emptyTables(app: App, types: readonly ResourceType[]): Promise<string[]> {
  const metadata = (await readManager(app)).getMetadata().getAll()
  const joins = types.flatMap(({ relations }) => relations.flatMap((relation) => findAssociation(metadata, relation)))
  const tables = new Set(joins.map(({ tableName }: EntityMetadata) => tableName))
  for (const type of types) {
    if (!(await isView(app, type)) && (await readKeys(app, type)).length === 0)
      tables.add((await readTableKey(app, type)).table)
  }
  const empty: string[] = []
  for (const table of tables) {
    const [row] = await execute(app, `select exists (select from ${quoteIdentifier(table)}) as "hasRows"`)
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
  /** The value as SQL, if the table accepts no other. */
  readonly value?: string
}

interface Bound {
  readonly column: string
  readonly type: string
  readonly value: string
}

/** The column of a partition key, with a value that a partition accepts. Empty unless each partition has a range or a list of one column. */
async function partitionBounds(app: App, table: string): Promise<Bound[]> {
  const found = await execute(
    app,
    `select a.attname as column, format_type(a.atttypid, a.atttypmod) as type, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_partitioned_table k join pg_inherits h on h.inhparent = k.partrelid join pg_class c on c.oid = h.inhrelid
       join pg_attribute a on a.attrelid = k.partrelid and a.attnum = k.partattrs[0]
     where k.partrelid = ${literal(quoteIdentifier(table))}::regclass and k.partnatts = 1 and k.partstrat in ('r', 'l')`,
  )
  return found.flatMap(({ column, type, bound }) => {
    const [, value] = /(?:FROM|IN) \(((?:'(?:[^']|'')*'|[^'),]+)+)[,)]/.exec(String(bound)) ?? []
    return value && value !== 'MINVALUE' ? [{ column: String(column), type: String(type), value }] : []
  })
}

async function insertRow(app: App, table: string, n: number): Promise<void> {
  const bounds = await partitionBounds(app, table)
  const bound = bounds[(n - 1) % bounds.length]
  const columns = (await requiredColumns(app, table)).filter(({ name }) => name !== bound?.column)
  if (bound)
    columns.push({
      name: bound.column,
      type: bound.type,
      category: '',
      target: null,
      targetColumn: null,
      value: bound.value,
    })
  const fitting = await satisfying(app, table, columns, n)
  const names = fitting.map(({ name }) => quoteIdentifier(name)).join(', ')
  const values = fitting.map((column) => valueSql(column, n)).join(', ')
  await execute(
    app,
    `insert into ${quoteIdentifier(table)} ${names ? `(${names}) values (${values})` : 'default values'}`,
  )
}

/** The columns with values that satisfy the checks of the table. Throws an error that names the check if there are none. */
async function satisfying(app: App, table: string, columns: readonly Column[], n: number): Promise<readonly Column[]> {
  const checks = await readChecks(app, table)
  const candidates = columns.map(({ name, ...column }): [string, string[]] => {
    const ofColumn = checks.filter((check) => check.columns.includes(name))
    return [name, [valueSql({ name, ...column }, n), ...(column.value ? [] : listCandidates(column, n, ofColumn))]]
  })
  const solution = await satisfyChecks(app, table, checks, new Map(candidates))
  if ('violated' in solution) throw new Error(violation(solution.violated))
  return columns.map((column) => {
    const value = solution.chosen.get(column.name)
    return value ? { ...column, value } : column
  })
}

function violation({ name, columns, definition }: Check): string {
  return `no generated value of ${columns.join(' and ')} satisfies the check ${name}, ${definition}`
}

function listCandidates({ category, target }: Omit<Column, 'name'>, n: number, checks: readonly Check[]): string[] {
  if (target) return []
  if (category === 'S') return textCandidates(n, checks).map(literal)
  if (category === 'N') return numberCandidates(n, checks).map(literal)
  return category === 'D' ? dateCandidates(n).map(literal) : []
}

/** The target of a column is that of its largest foreign key; one with a column that stays null refers to no row. */
async function requiredColumns(app: App, table: string): Promise<Column[]> {
  const found = await execute(
    app,
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, y.typcategory as category,
       f.confrelid::regclass::text as target,
       (select quote_ident(b.attname) from pg_attribute b where b.attrelid = f.confrelid
         and b.attnum = f.confkey[array_position(f.conkey, a.attnum)]) as "targetColumn"
     from pg_attribute a join pg_type y on y.oid = a.atttypid
       left join lateral (select * from pg_constraint c where c.contype = 'f' and (c.conrelid = a.attrelid
           or c.conrelid in (select h.inhrelid from pg_inherits h where h.inhparent = a.attrelid)) and a.attnum = any (c.conkey)
         order by exists (select from pg_attribute o where o.attrelid = a.attrelid and o.attnum = any (c.conkey) and not o.attnotnull),
           cardinality(c.conkey) desc limit 1) f on true
     where a.attrelid = ${literal(quoteIdentifier(table))}::regclass and a.attnum > 0 and not a.attisdropped
       and (a.attnotnull or y.typnotnull) and not a.atthasdef and a.attidentity = ''
     order by a.attnum`,
  )
  return found as unknown as Column[]
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

function valueSql({ type, category, target, targetColumn, value }: Column, n: number): string {
  if (value) return `(${value})::${type}`
  if (target) return `(select t.${targetColumn} from ${target} t order by t::text limit 1 offset ${n - 1})`
  if (category === 'E') return `(enum_range(null::${type}))[1]`
  if (type === 'uuid') return 'gen_random_uuid()'
  return `(${values[category]?.(n) ?? `'{}'`})::${type}`
}
