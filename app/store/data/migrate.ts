import type { Database } from '../connection/types.ts'
import { createTransaction } from '../driver/transaction.ts'

/** Runs the pending migrations, all or none, and returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  const { orm, connect, query } = database
  const executed = await (connect && query ? migrateOnServer({ orm, connect, query }) : orm.migrator.up())
  return executed.map(({ name }) => name)
}

export async function pendingMigrations({ orm }: Pick<Database, 'orm'>): Promise<string[]> {
  const pending = await orm.migrator.getPending()
  return pending.map(({ name }) => name)
}

type Server = Required<Pick<Database, 'orm' | 'connect' | 'query'>>

/** Disables the time-outs, and takes an advisory lock so that instances that start together do not migrate concurrently. */
async function migrateOnServer({ orm, connect, query }: Server) {
  const session = await connect()
  session.disableSocketTimeout()
  const options = { connect: async () => session, outside: query, deadline: null, statementTimeout: 0 }
  const transaction = createTransaction({ orm, ...options })
  const em = orm.em.fork()
  transaction.join(em)
  try {
    await transaction.run('set local statement_timeout to 0', [])
    await transaction.run(`select pg_advisory_xact_lock(hashtext('migrations'))`, [])
    const executed = await orm.migrator.up({ transaction: em.getTransactionContext() })
    await transaction.commit()
    return executed
  } catch (error) {
    await transaction.rollback().catch(() => {})
    throw error
  }
}
