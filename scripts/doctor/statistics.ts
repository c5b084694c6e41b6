import type { Orm } from '#store'

/** The cumulative statistics of the database: https://www.postgresql.org/docs/current/monitoring-stats.html */
export interface Statistics {
  readonly tables: readonly TableStatistics[]
  readonly unusedIndexes: readonly UnusedIndex[]
  readonly sequences: readonly SequenceState[]
  /** Null if pg_stat_statements is not installed. */
  readonly statements: readonly StatementStatistics[] | null
}

export interface TableStatistics {
  readonly table: string
  /** Estimated numbers of live and dead rows. */
  readonly rows: number
  readonly deadRows: number
  readonly sequentialScans: number
  readonly rowsReadSequentially: number
  readonly indexScans: number
  readonly isVacuumed: boolean
  readonly isAnalyzed: boolean
  /** Transactions since the oldest row that is not frozen. */
  readonly transactionAge: number
}

/** An index without a scan that enforces nothing. */
export interface UnusedIndex {
  readonly table: string
  readonly name: string
  readonly keys: readonly string[]
  readonly method: string
  readonly bytes: number
}

interface SequenceState {
  readonly sequence: string
  readonly last: number
  /** The end of the sequence, or of the type of its column. */
  readonly max: number
}

interface StatementStatistics {
  readonly sql: string
  readonly calls: number
  readonly totalMs: number
  readonly meanMs: number
  readonly rows: number
}

const tables = `
  select c.relname as "table", s.n_live_tup::float8 as rows, s.n_dead_tup::float8 as "deadRows",
    s.seq_scan::float8 as "sequentialScans", s.seq_tup_read::float8 as "rowsReadSequentially",
    coalesce(s.idx_scan, 0)::float8 as "indexScans",
    coalesce(s.last_vacuum, s.last_autovacuum) is not null as "isVacuumed",
    coalesce(s.last_analyze, s.last_autoanalyze) is not null as "isAnalyzed",
    age(c.relfrozenxid)::float8 as "transactionAge"
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' order by 1`

const unusedIndexes = `
  select t.relname as "table", i.relname as name, m.amname as method, pg_relation_size(i.oid)::float8 as bytes,
    to_json(array(select pg_get_indexdef(x.indexrelid, n, true) from generate_series(1, x.indnkeyatts) n order by n)) as keys
  from pg_stat_user_indexes s join pg_index x on x.indexrelid = s.indexrelid
    join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid join pg_am m on m.oid = i.relam
  where s.idx_scan = 0 and not x.indisunique and x.indisvalid
    and t.relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_constraint c where c.conindid = x.indexrelid)
  order by bytes desc, 2`

const sequences = `
  select c.relname as sequence, coalesce(pg_sequence_last_value(c.oid), 0)::float8 as last,
    least(q.seqmax, case a.atttypid when 'int2'::regtype then 32767 when 'int4'::regtype then 2147483647 end)::float8 as max
  from pg_sequence q join pg_class c on c.oid = q.seqrelid
    left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
      and d.refobjsubid > 0
    left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
  where c.relnamespace = current_schema()::regnamespace order by 1`

const extension = `
  select quote_ident(n.nspname) as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pg_stat_statements'`

/** Without statements of transactions, the catalogue and the doctor itself. */
const statements = (schema: string) => `
  select query as sql, calls::float8 as calls, total_exec_time::float8 as "totalMs", mean_exec_time::float8 as "meanMs",
    rows::float8 as rows
  from ${schema}.pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database())
    and query ~* '^\\s*(select|insert|update|delete|with|merge)\\M' and query !~ '\\mpg_(catalog|stat|class|index|constraint)'
  order by total_exec_time desc limit 20`

export async function readStatistics({ em }: Orm): Promise<Statistics> {
  const rows = <Row>(sql: string) => em.fork().execute<Row[]>(sql)
  return {
    tables: await rows<TableStatistics>(tables),
    unusedIndexes: await rows<UnusedIndex>(unusedIndexes),
    sequences: await rows<SequenceState>(sequences),
    statements: await readStatements(rows),
  }
}

/** The extension can be created though the library is not loaded: SQLSTATE 55000. */
async function readStatements(rows: <Row>(sql: string) => Promise<Row[]>): Promise<StatementStatistics[] | null> {
  const [installed] = await rows<{ schema: string }>(extension)
  if (!installed) return null
  try {
    return await rows<StatementStatistics>(statements(installed.schema))
  } catch (error) {
    if (['55000', '42501'].includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}
