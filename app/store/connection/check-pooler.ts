import { sessionStatement } from './open-server-pool.ts'
import { StartupError } from './startup-error.ts'
import type { DatabaseLimits, DirectQuery } from './types.ts'

/** Throws a StartupError if the sessions of a connection pooler, which it configures itself, lack time zone or limits. */
export async function checkPooler(query: DirectQuery, limits: DatabaseLimits): Promise<void> {
  const [session] = await query(currentSettings, [])
  if (session?.zone === 'UTC' && session.statement !== '0' && session.idle !== '0') return
  throw new StartupError(
    `With DATABASE_POOLER=transaction the pooler configures the sessions, but they have the time zone ${session?.zone} or no time-outs. Set this connect_query for the database in pgbouncer.ini:
${sessionStatement(limits)}`,
  )
}

const currentSettings = `select current_setting('timezone') as zone, current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle`
