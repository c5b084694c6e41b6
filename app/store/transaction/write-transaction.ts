import { EventType } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Deadline, Row } from '#kernel/store'
import type { DirectQuery, Orm } from '../connection/types.ts'
import type { Connection } from '../driver/index.ts'
import type { DirectConnection } from '../unit.ts'
import { beginOn, endOn, type TransactionEnd } from './begin.ts'
import { type Send, toKysely } from './kysely-transaction.ts'

/**
 * A transaction on a connection of its own, which it acquires with its first statement. After its end, `run` sends
 * statements outside of it.
 */
export interface Transaction extends Required<DirectConnection> {
  commit(): Promise<void>
  rollback(): Promise<void>
  /** The WAL position after the commit. Null if it was not read, or there was no answer. */
  position(): bigint | null
}

interface TransactionOptions {
  readonly orm: Orm
  connect(): Promise<Connection>
  /** Runs statements after the end of the transaction. */
  readonly outside: DirectQuery
  readonly deadline: Deadline | null
  /** The statement_timeout of the connection, in milliseconds. */
  readonly statementTimeout: number
  /** The statement that reads the WAL position. Not read without replicas. */
  readonly positionStatement?: string | undefined
}

export function createTransaction(options: TransactionOptions): Transaction {
  const { orm, connect, outside, deadline, statementTimeout } = options
  let session: Promise<Connection> | undefined
  let began: Promise<unknown> | undefined
  let joined: SqlEntityManager | undefined
  /** The connection, when `begin` has succeeded. */
  let begun: Connection | undefined
  let isOver = false
  let hasCommitted = false
  let position: bigint | null = null
  let inFlight = 0

  /** Does not await the answers, so that `begin` shares a round trip with the first statement. */
  const begin = async (): Promise<Connection> => {
    const opened = await connect()
    began = beginOn(opened)
    began.catch(() => {}) // awaited with the first statement
    if (deadline && deadline.remaining < statementTimeout) opened.query(timeoutStatement(deadline)).catch(() => {})
    return opened
  }
  const send: Send = (sql, values) => {
    if (!begun) return sendFirst(sql, values)
    deadline?.check()
    return sendOn(begun, sql, values)
  }
  /** Sends a statement before the answer to `begin`. */
  const sendFirst: Send = async (sql, values) => {
    deadline?.check()
    session ??= begin()
    const opened = await session
    // A write must not run if `begin` has failed: it would commit by itself.
    if (!isSelect(sql)) await began
    deadline?.check()
    const result = await sendOn(opened, sql, values)
    await began
    begun = opened
    return result
  }
  const sendOn = (opened: Connection, ...[sql, values]: Parameters<Send>): ReturnType<Send> => {
    inFlight++
    return opened.query(sql, values).then(
      (result) => {
        inFlight--
        return result
      },
      (error) => {
        inFlight--
        throw error
      },
    )
  }
  const run: DirectQuery = (sql, values) => send(sql, values).then(({ rows }) => rows)
  const end = async (statement: TransactionEnd): Promise<void> => {
    const opened = await session
    const ended = opened && endOn(opened, statement)
    const isRead = statement === 'commit' && options.positionStatement !== undefined
    const read = opened && isRead ? readPosition(opened, options) : null
    await ended
    position = read && (await read)
    leave(opened, false)
  }
  const leave = (opened: Connection | undefined, isBroken: boolean): void => {
    isOver = true
    // Work that continues after the deadline must not write outside of the transaction.
    if (!deadline?.hasExpired) joined?.resetTransactionContext()
    opened?.release(isBroken)
  }

  return {
    run: (sql, values) => (isOver ? outside(sql, values) : run(sql, values)),
    async autocommit(sql, values) {
      if (session) return run(sql, values)
      const opened = await connect()
      const sent = runAutocommit(opened, sql, values, deadline)
      const read = options.positionStatement === undefined ? null : readPosition(opened, options)
      const rows = await sent
      position = read && (await read)
      if (rows.length > 0) {
        hasCommitted = true
        leave(undefined, false)
      }
      return rows
    },
    hasCommitted: () => hasCommitted,
    position: () => position,
    join(em) {
      if (isOver) return
      joined = em
      em.setTransactionContext(toKysely(orm, send))
    },
    commit: () => end('commit'),
    async rollback() {
      if (deadline?.hasExpired && inFlight > 0) await (await session)?.cancel()
      await end('rollback').catch(async (error) => {
        leave(await session, true)
        throw error
      })
    },
  }
}

/** Runs a statement that commits by itself: it is cancelled at the deadline, and its outcome decides. */
function runAutocommit(
  session: Connection,
  sql: string,
  values: readonly unknown[],
  deadline: Deadline | null,
): Promise<Row[]> {
  session.disableLimit('result bytes') // the statement would be committed although its result is refused
  const run = () => session.queryAndRelease(sql, values, deadline)
  return !deadline || deadline.remaining <= 0 ? run() : deadline.commit(run, (rows) => rows.length > 0)
}

/**
 * Reads the WAL position behind the commit that was sent before, without a round trip of its own. On the same connection,
 * because another one may not be free.
 */
async function readPosition(session: Connection, { positionStatement }: TransactionOptions): Promise<bigint | null> {
  if (positionStatement === undefined) return null
  try {
    const { rows } = await session.query(positionStatement)
    return BigInt(rows[0]?.position as string)
  } catch {
    return null // the write is committed all the same
  }
}

/** Whether the statement has no effect outside of a transaction, except for locks. */
function isSelect(sql: string): boolean {
  return sql.startsWith('select ')
}

function timeoutStatement({ remaining }: Deadline): string {
  return `set local statement_timeout to ${Math.max(1, Math.ceil(remaining))}`
}

/** Whether a subscriber listens to transaction events: MikroORM emits them only for transactions it began itself. */
export function hasTransactionListeners({ em }: Orm): boolean {
  for (const subscriber of em.getEventManager().getSubscribers()) {
    if (transactionEvents.some((event) => event in subscriber)) return true
  }
  return false
}

const transactionEvents = [
  EventType.beforeTransactionStart,
  EventType.afterTransactionStart,
  EventType.beforeTransactionCommit,
  EventType.afterTransactionCommit,
  EventType.beforeTransactionRollback,
  EventType.afterTransactionRollback,
]
