import type { Database, Orm } from '../connection/types.ts'
import { unlimited } from '../driver/socket-timeout.ts'

/** Runs what is pending, all or nothing, and returns the names. */
export async function migrate({ orm, kind }: Database): Promise<string[]> {
  const done = kind === 'server' ? await migrateAlone(orm) : await orm.migrator.up()
  return done.map(({ name }) => name)
}

export async function pendingMigrations({ orm }: Pick<Database, 'orm'>): Promise<string[]> {
  const pending = await orm.migrator.getPending()
  return pending.map(({ name }) => name)
}

/** Instances that start together wait for one another, and a slow migration is not cut off. */
function migrateAlone(orm: Orm) {
  return orm.em.fork().transactional(async (em) => {
    await em.execute(unlimited)
    await em.execute(`select pg_advisory_xact_lock(hashtext('migrations'))`)
    return orm.migrator.up({ transaction: em.getTransactionContext() })
  })
}
