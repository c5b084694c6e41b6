import type { Socket } from 'node:net'
import type { DatabaseLimits, DatabaseOptions, DirectQuery } from './database.ts'
import { giveUpWhenSilent, unlimited } from './silence.ts'
import { isUnanswered } from './sql-errors.ts'
import { noteStatement } from './statements.ts'

/** A connection of `pg`, as far as the store deals with it. */
export interface Client {
  query: (text: string | Prepared, values?: readonly unknown[]) => Promise<{ rows: Record<string, unknown>[] }>
  release(error?: boolean): void
  once(event: 'end', listener: () => void): void
  off(event: 'end', listener: () => void): void
  /** No statement is under way. */
  readonly readyForQuery: boolean
  readonly connection: { readonly stream: Socket }
}

export interface Pool {
  connect(): Promise<Client>
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  readonly options: object
}

interface Prepared {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** What every connection is given once. */
export interface Setup {
  /** The statement that makes the session; null where that is not ours. */
  readonly session: string | null
  /** How many texts get a name. */
  readonly named: number
  /** For how many milliseconds the server may say nothing to a statement. */
  readonly silence: number
}

export function setupOf(limits: DatabaseLimits, pooler: DatabaseOptions['databasePooler']): Setup {
  const session = pooler === 'transaction' ? null : sessionOf(limits)
  return { session, named: limits.prepared, silence: (limits.wait + limits.statement) * 1000 }
}

/**
 * A connection pooler refuses statement_timeout as a start-up parameter, so it is set in the session. Whatever a hook
 * waits for, its transaction does not hold rows for ever.
 */
export function sessionOf({ statement, idleTransaction }: DatabaseLimits): string {
  return `select set_config('timezone', 'UTC', false), set_config('statement_timeout', '${statement * 1000}', false),
    set_config('idle_in_transaction_session_timeout', '${idleTransaction * 1000}', false)`
}

const started = new WeakSet<Client>()

/** Its session, somebody who hears its statements, and names for those asked often. */
export async function startClient(client: Client, { session, named, silence }: Setup): Promise<void> {
  if (started.has(client)) return
  giveUpWhenSilent(client, silence)
  const query = client.query.bind(client)
  try {
    if (session) await query(session)
  } catch (error) {
    client.release(true)
    throw error
  }
  started.add(client)
  const send: Client['query'] = (text, values) => {
    if (typeof text !== 'string') return query(text, values)
    noteStatement(text, values)
    if (text === unlimited) client.connection.stream.setTimeout(0)
    const name = named > 0 && values && values.length > 0 ? nameOf(text, named) : undefined
    return name && values ? query({ name, text, values }) : query(text, values)
  }
  client.query = (text, values) => {
    if (text === 'begin') {
      opening.add(client)
      return nothing
    }
    if (!opening.delete(client)) return send(text, values)
    return text === 'commit' || text === 'rollback' ? nothing : sendTogether(client, send, text, values)
  }
}

/** Those that were told to begin a transaction, and have not been told what to do in it. */
const opening = new WeakSet<Client>()
const nothing = Promise.resolve({ rows: [] })

/** A transaction that did nothing when its connection is given back has never begun. */
export function forgetTransaction(client: Client): void {
  opening.delete(client)
}

/** A transaction begins together with its first statement: one message to the server, and one answer to wait for. */
async function sendTogether(
  client: Client,
  send: Client['query'],
  text: string | Prepared,
  values?: readonly unknown[],
) {
  const { stream } = client.connection
  stream.cork()
  const answers = Promise.all([send('begin'), send(text, values)])
  stream.uncork()
  return (await answers)[1]
}

/** A way to the pool beside MikroORM's. Whoever asks gives the connection back, whatever happens to it. */
export function directQuery(pool: Pool, setup: Setup): DirectQuery {
  const connect = pool.connect.bind(pool)
  return async (sql, values) => {
    const client = await connect()
    await startClient(client, setup)
    let hangs = false
    try {
      return (await client.query(sql, values)).rows
    } catch (error) {
      hangs = isUnanswered(error)
      throw error
    } finally {
      client.release(hangs)
    }
  }
}

/** Uses after which a text is worth a name. */
const worthNaming = 3
const maxCounted = 5_000

const names = new Map<string, string>()
const uses = new Map<string, number>()

/**
 * Compiled statements are sent under a name once they have been sent a few times: PostgreSQL parses and plans such a
 * text once per connection, and keeps it there. Only texts with bound parameters are: there are as many of them as
 * shapes of queries.
 */
function nameOf(text: string, max: number): string | undefined {
  const name = names.get(text)
  if (name !== undefined || names.size >= max) return name
  const count = (uses.get(text) ?? 0) + 1
  if (count < worthNaming) {
    if (uses.size >= maxCounted) uses.clear()
    uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  names.set(text, `statement_${names.size}`)
  return names.get(text)
}
