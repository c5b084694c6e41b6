import type { Socket } from 'node:net'
import type { Deadline } from '#kernel/store'
import type { DatabaseLimits, DatabaseOptions } from '../connection/types.ts'
import { type Answer, NamedStatement, type Wire } from '../driver-pipelined/prepared-query.ts'
import type { Parse } from '../driver-pipelined/row-reader.ts'
import { isOutdated, isUnanswered } from '../errors/sql-errors.ts'
import { type Cancellable, cancelStatement } from './cancel.ts'
import { type Named, nameOf, renamed } from './prepared-names.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { giveUpWhenSilent, unlimited } from './socket-timeout.ts'
import { noteStatement } from './statement-log.ts'

/** A connection of `pg`, as far as the store deals with it. */
export interface Client extends Cancellable {
  query(text: string | NamedStatement, values?: readonly unknown[]): Promise<Result>
  /** Sends a statement that has a name, past everybody who watches over transactions. */
  ask(named: Named, values: readonly unknown[], callback: AnswerCallback): void
  getTypeParser(type: number, format: 'text'): Parse
  release(error?: boolean): void
  once(event: 'end', listener: () => void): void
  on(event: 'error', listener: () => void): void
  off(event: 'end' | 'error', listener: () => void): void
  /** `I` outside of transactions. */
  getTransactionStatus(): string | null
  /** No statement is under way. */
  readonly readyForQuery: boolean
  readonly connection: Wire & { readonly stream: Socket }
}

export interface Pool {
  connect(): Promise<Client>
  end(): Promise<void>
  /** It gives no connections any more, and closes those it is given back. */
  readonly ending: boolean
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  readonly options: { readonly max: number }
}

type Result = Pick<Answer, 'rows'>
type AnswerCallback = NamedStatement['callback']

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
  client.connection.prepared = new PreparedStatements(named)
  const parserOf = (type: number) => client.getTypeParser(type, 'text')
  client.ask = (known, values, callback) => {
    const hear: AnswerCallback = (error, answer) => {
      if (!isOutdated(error)) return callback(error, answer)
      const anew = renamed(known, named)
      if (client.getTransactionStatus() === 'I') client.ask(anew, values, callback)
      else callback(error) // whoever began the transaction begins it again
    }
    query(new NamedStatement(known.name, known.text, values, parserOf, hear))
  }
  const send: Client['query'] = (text, values) => {
    if (typeof text !== 'string') return query(text, values)
    noteStatement(text, values)
    if (text === unlimited) client.connection.stream.setTimeout(0)
    const known = named > 0 && values ? nameOf(text, values, named) : undefined
    return known && values ? answered(client, known, values) : query(text, values)
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

function answered(client: Client, named: Named, values: readonly unknown[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client.ask(named, values, (error, answer) => (error ? reject(error) : resolve(answer as Answer)))
  })
}

/**
 * One statement; the connection is given back then, whatever has happened to it. The statement is cancelled when the
 * deadline passes.
 */
export async function askOnce(
  client: Client,
  sql: string,
  values: readonly unknown[],
  deadline?: Deadline | null,
): Promise<Result['rows']> {
  let hangs = false
  let cancelled: Promise<void> | undefined
  const ignore = deadline?.onPass(() => {
    cancelled ??= cancelStatement(client)
  })
  try {
    deadline?.check()
    return (await client.query(sql, values)).rows
  } catch (error) {
    hangs = isUnanswered(error)
    throw error
  } finally {
    ignore?.()
    if (cancelled) await cancelled
    client.release(hangs)
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
  text: string | NamedStatement,
  values?: readonly unknown[],
) {
  const { stream } = client.connection
  stream.cork()
  const answers = Promise.all([send('begin'), send(text, values)])
  stream.uncork()
  return (await answers)[1]
}
