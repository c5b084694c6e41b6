import type { App } from '#kernel/plugin'
import type { Database, Orm } from '#store'
import { type Catalog, readCatalog } from '../support/catalog.ts'
import { leadsWith, unindexedKeys, unindexedLookups } from '../support/missing-indexes.ts'
import type { Section } from './section.ts'
import { createRouteFinder } from './statement-routes.ts'
import { readStatistics, type Statistics, type TableStatistics, type UnusedIndex } from './statistics.ts'

/** From which figures on a finding is reported. */
export const thresholds = {
  /** Scans of a table before its unused indexes are reported. */
  tableScans: 100,
  /** Rows of a table that should not be scanned, and that needs vacuum and analyze. */
  tableRows: 10_000,
  /** The part of dead rows in all rows. */
  deadRows: 0.2,
  /** Transactions since the last freeze; autovacuum freezes at 200 million, the limit is two billion. */
  transactionAge: 1_000_000_000,
  /** The used part of a sequence. */
  sequence: 0.75,
}

const noStatements = `pg_stat_statements is not installed. Set shared_preload_libraries = 'pg_stat_statements', restart PostgreSQL, and run: create extension pg_stat_statements;`

export const liveSkipped =
  'The embedded database does not exist or is in use by another process: its statistics are not checked.'

/** Checks of a database that serves requests, from its cumulative statistics. */
export async function liveSections(app: App, { orm, kind }: Database): Promise<Section[]> {
  const catalog = await readCatalog(orm)
  return buildSections(app, { orm, kind }, catalog, await readStatistics(orm))
}

export function buildSections(
  app: App,
  { orm, kind }: Pick<Database, 'orm' | 'kind'>,
  catalog: Catalog,
  statistics: Statistics,
): Section[] {
  const { tables, sequences, statements } = statistics
  return [
    {
      name: 'unusedIndexes',
      title: 'Indexes without a scan since the last reset of the statistics; replicas count separately',
      severity: 'hint',
      findings: findUnusedIndexes(app, orm, catalog, statistics),
    },
    {
      name: 'sequentialScans',
      title: 'Large tables that are read by sequential scans',
      severity: 'warning',
      findings: tables.filter(isScanned).map((table) => ({
        table: table.table,
        rows: table.rows,
        scans: table.sequentialScans,
        rowsPerScan: Math.round(table.rowsReadSequentially / table.sequentialScans),
        missingIndexes: suggestIndexes(app, orm, catalog, table.table),
      })),
    },
    {
      name: 'tablesWithoutMaintenance',
      title: 'Tables without vacuum or analyze: check the settings of autovacuum',
      severity: 'warning',
      findings: tables.flatMap((table) => {
        const reasons = maintenanceFaults(table)
        return reasons.length > 0 ? [{ table: table.table, rows: table.rows, reasons }] : []
      }),
    },
    {
      name: 'sequencesNearTheirEnd',
      title: 'Sequences near their end: change the column and the sequence to bigint',
      severity: 'fault',
      findings: sequences
        .filter(({ last, max }) => last / max >= thresholds.sequence)
        .map((sequence) => ({ ...sequence, used: `${Math.floor((100 * sequence.last) / sequence.max)} %` })),
    },
    {
      name: 'statements',
      title: 'Statements by total time, with the routes that send them',
      severity: 'hint',
      findings: toStatementFindings(app, orm, statements ?? []),
      // The embedded database does not have the extension.
      ...(statements === null && kind === 'server' && { skipped: noStatements }),
    },
  ]
}

/** An index that supports a foreign key is needed by deletes, even if none has occurred. */
function findUnusedIndexes(app: App, orm: Orm, catalog: Catalog, { tables, unusedIndexes }: Statistics) {
  const scanned = new Set(
    tables
      .filter(({ sequentialScans, indexScans }) => sequentialScans + indexScans >= thresholds.tableScans)
      .map(({ table }) => table),
  )
  return unusedIndexes
    .filter(({ table }) => scanned.has(table))
    .filter((index) => !catalog.foreignKeys.some((key) => leadsWith({ ...index, operators: '' }, key)))
    .map((index) => ({
      index: index.name,
      table: index.table,
      size: formatBytes(index.bytes),
      declaredFor: lookupsServedBy(app, orm, catalog, index),
      drop: `drop index concurrently "${index.name}";`,
    }))
}

/** The declared filters and sorts that would have no index without this one. */
function lookupsServedBy(app: App, orm: Orm, catalog: Catalog, index: UnusedIndex): string[] {
  const isSame = ({ table, method, keys }: Catalog['indexes'][number]) =>
    table === index.table && method === index.method && keys.join() === index.keys.join()
  const without = { ...catalog, indexes: catalog.indexes.filter((other) => !isSame(other)) }
  const before = new Set(unindexedLookups(app, orm, catalog).map(({ create }) => create))
  const missing = unindexedLookups(app, orm, without).filter(({ create }) => !before.has(create))
  return missing.map(({ usedBy }) => usedBy)
}

function isScanned({ rows, sequentialScans, rowsReadSequentially }: TableStatistics): boolean {
  const { tableRows, tableScans } = thresholds
  return rows >= tableRows && sequentialScans >= tableScans && rowsReadSequentially / sequentialScans >= tableRows / 2
}

/** The indexes of declared filters, sorts and relations that the table lacks; else a way to find the request. */
function suggestIndexes(app: App, orm: Orm, catalog: Catalog, table: string): string[] {
  const missing = [...unindexedKeys(catalog), ...unindexedLookups(app, orm, catalog)]
  const ofTable = missing.filter(({ create }) => create.includes(` on "${table}"`))
  const found = ofTable.map(({ usedBy, create }) => `${usedBy}: ${create};`)
  return found.length > 0 ? found : ['none is declared; npm run explain shows the plan of a request']
}

function maintenanceFaults({ rows, deadRows, isVacuumed, isAnalyzed, transactionAge }: TableStatistics): string[] {
  const isLarge = rows + deadRows >= thresholds.tableRows
  return [
    ...(isLarge && !isVacuumed ? ['never vacuumed'] : []),
    ...(isLarge && !isAnalyzed ? ['never analyzed'] : []),
    ...(isLarge && deadRows / (rows + deadRows) > thresholds.deadRows ? [`${deadRows} dead rows`] : []),
    ...(transactionAge > thresholds.transactionAge ? [`${transactionAge} transactions since the last freeze`] : []),
  ]
}

function toStatementFindings(app: App, orm: Orm, statements: NonNullable<Statistics['statements']>) {
  const routesOf = createRouteFinder(app, orm)
  return statements.map(({ sql, calls, totalMs, meanMs, rows }) => ({
    totalMs: Math.round(totalMs),
    calls,
    meanMs: Number(meanMs.toFixed(2)),
    rows,
    routes: routesOf(sql),
    sql: sql.replace(/\s+/g, ' '),
  }))
}

function formatBytes(bytes: number): string {
  const [size, unit] = bytes >= 2 ** 20 ? [bytes / 2 ** 20, 'MiB'] : [bytes / 2 ** 10, 'KiB']
  return `${Math.round(size)} ${unit}`
}
