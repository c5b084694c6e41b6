import type { MigrateOptions } from '@mikro-orm/core'
import { StartupError } from '../connection/startup-error.ts'
import type { Database } from '../connection/types.ts'
import { observeStatements } from '../observers.ts'
import { inTransaction } from '../transaction/begin.ts'
import { createTransaction } from '../transaction/write-transaction.ts'
import { toMigrationError } from './migration-error.ts'
import { checkTable, executedMigrations, listedMigrations } from './migration-status.ts'

type MigrationTransaction = NonNullable<MigrateOptions['transaction']>

/** Runs the pending migrations, all or none, and returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  await checkTable(database)
  return inLockedTransaction(database, (transaction) => runPending(database, transaction))
}

/** Runs the pending migrations in a transaction. Throws a StartupError with the file and the statement if one fails. */
export async function runPending(
  { orm }: Pick<Database, 'orm'>,
  transaction: MigrationTransaction | undefined,
): Promise<string[]> {
  const executed = await namingMigration({ orm }, 'migrating', () =>
    orm.migrator.up(transaction ? { transaction } : {}),
  )
  return executed.map(({ name }) => name)
}

/** Reverts the last migrations, all or none, and returns their names, the last first. */
export async function revert(database: Database, count = 1): Promise<string[]> {
  await checkTable(database)
  const executed = (await executedMigrations(database)).map(({ name }) => name)
  const last = executed.toReversed().slice(0, count)
  const names = listedMigrations(database).map(({ name }) => name)
  const missing = last.find((name) => !names.includes(name))
  if (missing) throw new StartupError(`The migration ${missing} has no file, so that it cannot be reverted.`)
  await inLockedTransaction(database, async (transaction) => {
    for (const name of last) {
      const down = () => database.orm.migrator.down({ migrations: [name], transaction })
      await namingMigration(database, 'reverting', down)
    }
  })
  return last
}

/** Marks pending migrations as applied, without running them. */
export async function markAsApplied(database: Database, names: readonly string[]): Promise<void> {
  await checkTable(database)
  for (const name of names) await database.orm.migrator.logMigration(name)
}

/** Converts an error of a migration to a sentence that names it. */
async function namingMigration<T>(
  { orm }: Pick<Database, 'orm'>,
  event: 'migrating' | 'reverting',
  work: () => Promise<T>,
): Promise<T> {
  let current = ''
  let statement = ''
  const unobserve = observeStatements(({ sql }) => {
    if (!sql.startsWith('rollback')) statement = sql
  })
  const listener = async ({ name }: { name: string }) => {
    current = name
  }
  orm.migrator.on(event, listener)
  try {
    return await work()
  } catch (error) {
    const { file = current } = listedMigrations({ orm }).find(({ name }) => name === current) ?? {}
    throw current ? toMigrationError(error, file, statement) : error
  } finally {
    unobserve()
    orm.migrator.off(event, listener)
  }
}

/** Creates the table of the applied migrations: inside a transaction it would wait for the only connection of PGlite. */
export async function createTable({ orm }: Pick<Database, 'orm'>): Promise<void> {
  await orm.migrator.getExecuted()
}

/**
 * Runs the work in a transaction. On a server it disables the time-outs, and takes an advisory lock so that instances that
 * start together do not migrate concurrently.
 */
async function inLockedTransaction<T>(
  { orm, connect, query }: Database,
  work: (transaction: MigrationTransaction) => Promise<T>,
): Promise<T> {
  const em = orm.em.fork()
  if (!connect || !query) {
    await createTable({ orm })
    return inTransaction(em, (inner) => work(inner.getTransactionContext() as MigrationTransaction))
  }
  const session = await connect()
  session.disableLimit('socket time-out')
  session.disableLimit('result bytes')
  const options = { connect: async () => session, outside: query, deadline: null, statementTimeout: 0 }
  const transaction = createTransaction({ orm, ...options })
  transaction.join(em)
  try {
    await transaction.run('set local statement_timeout to 0', [])
    await transaction.run(`select pg_advisory_xact_lock(hashtext('migrations'))`, [])
    const result = await work(em.getTransactionContext() as MigrationTransaction)
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback().catch(() => {})
    throw error
  }
}
