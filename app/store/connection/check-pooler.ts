import { sessionStatement } from './open-server-pool.ts'
import { StartupError } from './startup-error.ts'
import type { DatabaseLimits, DirectQuery } from './types.ts'
import { valueSettings } from './value-settings.ts'

/**
 * Throws a StartupError if the sessions of a connection pooler, which it configures itself, show values in other forms or
 * lack limits.
 */
export async function checkPooler(query: DirectQuery, limits: DatabaseLimits): Promise<void> {
  const columns = Object.keys(accepted).map((name) => `current_setting('${name}') as ${name}`)
  const [session = {}] = await query(`select ${columns.join(', ')}`, [])
  const wrong = Object.entries(accepted).filter(([name, accepts]) => !accepts(String(session[name])))
  if (wrong.length === 0) return
  const found = wrong.map(([name]) => `${name} = ${session[name]}`).join(', ')
  throw new StartupError(
    `With DATABASE_POOLER=transaction the pooler configures the sessions, but they have ${found}. Set this connect_query for the database in pgbouncer.ini:
${sessionStatement(limits)}`,
  )
}

const isLimit = (value: string) => value !== '0'

/** The accepted values of settings. The order of day and month matters only to texts that the service does not send. */
const accepted: Readonly<Record<string, (value: string) => boolean>> = {
  ...Object.fromEntries(
    Object.entries(valueSettings).map(([name, value]) => [name, (set: string) => set === value] as const),
  ),
  datestyle: (value) => value.startsWith('ISO'),
  extra_float_digits: (value) => Number(value) > 0,
  statement_timeout: isLimit,
  idle_in_transaction_session_timeout: isLimit,
}
