import { EventType } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { ControlledTransaction, type DatabaseConnection, PostgresDialect } from 'kysely'
import type { Deadline } from '#kernel/store'
import type { DirectQuery, Orm } from '../connection/types.ts'
import { cancelStatement } from './cancel.ts'
import { askOnce, type Client } from './session.ts'

/** A transaction on a connection of its own, which it takes with its first statement. */
export interface Transaction {
  /** Once it is over, outside of it. */
  readonly run: DirectQuery
  /** A statement that is all there is to do, or does nothing: where nothing began, nothing begins. */
  readonly alone: DirectQuery
  /** Lets a manager of MikroORM take part. */
  join(em: SqlEntityManager): void
  commit(): Promise<void>
  rollback(): Promise<void>
}

type Send = (sql: string, values: readonly unknown[]) => Promise<Answer>

/** What `pg` tells of a statement. */
interface Answer {
  readonly rows: Record<string, unknown>[]
  readonly command: string
  readonly rowCount: number | null
}

/** What a transaction is created with. */
export interface TransactionOptions {
  readonly orm: Orm
  connect(): Promise<Client>
  /** Statements after the end of the transaction. */
  readonly outside: DirectQuery
  readonly deadline: Deadline | null
  /** The statement_timeout of the connection, in milliseconds. */
  readonly statementTimeout: number
}

export function createTransaction(options: TransactionOptions): Transaction {
  const { orm, connect, outside, deadline, statementTimeout } = options
  let client: Promise<Client> | undefined
  let joined: SqlEntityManager | undefined
  let isOver = false
  let inFlight = 0

  const begin = async (): Promise<Client> => {
    const taken = await connect()
    await taken.query('begin')
    // Sent together with `begin`, and its answer is not waited for.
    if (deadline && deadline.remaining < statementTimeout) taken.query(timeoutText(deadline)).catch(() => {})
    return taken
  }
  const send: Send = async (sql, values) => {
    deadline?.check()
    client ??= begin()
    const taken = await client
    deadline?.check()
    inFlight++
    try {
      return (await taken.query(sql, values)) as Answer
    } finally {
      inFlight--
    }
  }
  /** The statement is its own commit: when the deadline passes it is cancelled, and its outcome decides. */
  const sendAlone: DirectQuery = async (sql, values) => {
    const taken = await connect()
    if (!deadline || deadline.remaining <= 0) return askOnce(taken, sql, values, deadline)
    return deadline.commit(
      () => askOnce(taken, sql, values, deadline),
      (rows) => rows.length > 0,
    )
  }
  const end = async (word: 'commit' | 'rollback'): Promise<void> => {
    const taken = await client
    await taken?.query(word)
    leave(taken, false)
  }
  const leave = (taken: Client | undefined, isLost: boolean): void => {
    isOver = true
    // Work that goes on after the deadline must not write outside of the transaction.
    if (!deadline?.hasExpired) joined?.resetTransactionContext()
    taken?.release(isLost)
  }

  return {
    run: (sql, values) => (isOver ? outside(sql, values) : send(sql, values).then(({ rows }) => rows)),
    alone: (sql, values) => (client ? send(sql, values).then(({ rows }) => rows) : sendAlone(sql, values)),
    join(em) {
      if (isOver) return
      joined = em
      em.setTransactionContext(toKysely(orm, send))
    },
    commit: () => end('commit'),
    async rollback() {
      if (deadline?.hasExpired && inFlight > 0) await cancelStatement((await client) as Client)
      await end('rollback').catch(async (error) => {
        leave(await client, true)
        throw error
      })
    },
  }
}

function timeoutText({ remaining }: Deadline): string {
  return `set local statement_timeout to ${Math.max(1, Math.ceil(remaining))}`
}

const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('A transaction has its connection.')) })
const driver = dialect.createDriver()

/** The transaction as MikroORM knows them; it may have others inside of it, but does not end this one. */
function toKysely(orm: Orm, send: Send): ControlledTransaction<unknown> {
  const connection: DatabaseConnection = {
    async executeQuery({ sql, parameters }) {
      const { rows, command, rowCount } = await send(sql, parameters)
      return { rows: rows as never[], ...(command !== 'SELECT' && { numAffectedRows: BigInt(rowCount ?? 0) }) }
    },
    async *streamQuery(query) {
      yield await this.executeQuery(query)
    },
  }
  const executor = orm.em
    .getKysely()
    .getExecutor()
    .withConnectionProvider({ provideConnection: (use) => use(connection) })
  return new ControlledTransaction({
    config: { dialect },
    dialect,
    driver,
    executor,
    connection: { connection, release() {} },
  })
}

/** Whether somebody listens to MikroORM's transactions: it tells only of those it began itself. */
export function isHeard({ em }: Orm): boolean {
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
