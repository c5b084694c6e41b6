import { sessionOf } from '../driver/session.ts'
import { StartupError } from './startup-error.ts'
import type { DatabaseLimits, DirectQuery } from './types.ts'

/** Behind a pooler that gives every transaction another session, sessions are made by the pooler. */
export async function checkPooler(query: DirectQuery, limits: DatabaseLimits): Promise<void> {
  const [session] = await query(asked, [])
  if (session?.zone === 'UTC' && session.statement !== '0' && session.idle !== '0') return
  throw new StartupError(
    `With DATABASE_POOLER=transaction the pooler makes the sessions, and those it makes are in the time zone ${session?.zone} or have no limits. Give the database in pgbouncer.ini this connect_query:
${sessionOf(limits)}`,
  )
}

const asked = `select current_setting('timezone') as zone, current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle`
