import { type Clock, type Logger, systemClock } from '#kernel/store'
import type { Orm } from '#store/connection/types.ts'

const interval = 60_000

/** Tables by the thresholds of autovacuum, and those whose transaction ids have to be frozen. */
const tablesToVacuum = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_stat_all_tables s on s.relid = c.oid
  where c.relkind in ('r', 'm') and (
    s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
    or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
    or age(c.relfrozenxid) > 100000000)`

interface VacuumOptions {
  /** Throws if the disk is nearly full. */
  readonly checkDiskSpace: () => Promise<void>
  readonly clock?: Clock | undefined
  readonly logger?: Logger | undefined
}

/**
 * Vacuums and analyzes tables of the embedded database once a minute, if they have changed much. PGlite has no background
 * processes and therefore no autovacuum: rows that were updated or deleted would stay in the tables, and reads would take
 * longer with every write. Returns the function that stops it.
 */
export function startVacuum(orm: Orm, { checkDiskSpace, clock = systemClock, logger }: VacuumOptions) {
  let running: Promise<void> | null = null
  const stop = clock.every(interval, () => {
    running ??= vacuumTables(orm, checkDiskSpace)
      .catch((error) => logger?.warn({ err: error }, 'The embedded database could not be vacuumed.'))
      .finally(() => {
        running = null
      })
  })
  return async () => {
    stop()
    await running
  }
}

/** One statement per table, so that requests are served in between. */
async function vacuumTables(orm: Orm, checkDiskSpace: () => Promise<void>): Promise<void> {
  const connection = orm.em.getConnection()
  const tables = await connection.execute<{ name: string }[]>(tablesToVacuum)
  for (const { name } of tables) {
    await checkDiskSpace()
    await connection.execute(`vacuum (analyze) ${name}`)
  }
}
