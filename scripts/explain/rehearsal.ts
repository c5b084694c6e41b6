import { CompiledQuery, type ControlledTransaction } from 'kysely'
import { beginByKysely, type Database, observeStatements } from '#store'
import { type Plan, readPlan } from './plan.ts'

/** A statement of the request, with its plan at the moment it was sent. */
export interface ExplainedStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Null if PostgreSQL could not plan it. */
  readonly plan: Plan | null
  /** Why the statement was planned without being executed, or not at all. */
  readonly failure: string | null
}

type Opened = Required<Pick<Database, 'query' | 'connectForWrite' | 'beginSnapshot'>>

/** One connection in a transaction that is always rolled back. The application sends all its statements on it. */
export interface Rehearsal extends Opened {
  readonly statements: readonly ExplainedStatement[]
  /** Statements that the application has sent on other connections: not explained and not rolled back. */
  readonly otherStatements: () => readonly string[]
  rollBack(): Promise<void>
}

/**
 * Begins the transaction on a connection of the pool, which has the session settings of the application. A read-only
 * transaction refuses every write; with `writes` the application may write, and its `commit` only releases a savepoint.
 */
export async function beginRehearsal({ orm }: Database, { writes }: { writes: boolean }): Promise<Rehearsal> {
  const observed: string[] = []
  const stopObserving = observeStatements(({ sql }) => observed.push(sql))
  const transaction = await beginByKysely(orm, writes ? 'write' : 'snapshot')
  const session = createSession(transaction)
  return {
    statements: session.statements,
    otherStatements: () => withoutSent(observed, session.sent),
    query: async (sql, parameters) => (await session.send(sql, parameters)).rows,
    beginSnapshot: async () => ({ query: session.send, cancel: async () => {}, end: () => {} }),
    connectForWrite: async () => {
      return {
        query: session.send,
        queryAndRelease: async (sql: string, values: readonly unknown[]) => (await session.send(sql, values)).rows,
        disableLimit: () => {},
        cancel: async () => {},
        release: () => {},
      }
    },
    async rollBack() {
      stopObserving()
      await transaction.rollback().execute()
    },
  }
}

/** Sends statements one after the other: savepoint, plan and statement must not mix with those of another one. */
function createSession(transaction: Pick<ControlledTransaction<unknown>, 'executeQuery'>) {
  const statements: ExplainedStatement[] = []
  const sent: string[] = []
  let last: Promise<unknown> = Promise.resolve()

  const run = async (sql: string, parameters: readonly unknown[] = []) => {
    sent.push(sql)
    const { rows, numAffectedRows } = await transaction.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(sql, [...parameters]),
    )
    const isRead = numAffectedRows === undefined
    return { rows, command: isRead ? 'SELECT' : 'UPDATE', rowCount: isRead ? rows.length : Number(numAffectedRows) }
  }
  /** Keeps the transaction usable if the work fails. */
  const inSavepoint = async <T>(work: () => Promise<T>, keeps: boolean): Promise<T> => {
    await run('savepoint statement')
    try {
      const result = await work()
      await run(keeps ? 'release savepoint statement' : 'rollback to savepoint statement')
      return result
    } catch (error) {
      await run('rollback to savepoint statement')
      throw error
    }
  }
  const explain = async (sql: string, parameters: readonly unknown[], options: string): Promise<Plan> => {
    const { rows } = await inSavepoint(() => run(`explain (${options}format json) ${sql}`, parameters), false)
    return readPlan(rows)
  }
  const explainStatement = async (sql: string, parameters: readonly unknown[]): Promise<ExplainedStatement> => {
    const statement = { sql, parameters }
    try {
      return { ...statement, plan: await explain(sql, parameters, 'analyze, buffers, '), failure: null }
    } catch (error) {
      const failure = (error as Error).message
      const plan = await explain(sql, parameters, '').catch(() => null)
      return { ...statement, plan, failure }
    }
  }
  const sendNext = async (sql: string, parameters: readonly unknown[] = []) => {
    const control = controlStatement(sql)
    if (control) return run(control)
    if (!/^\s*(?:select|insert|update|delete|with|merge|values)\b/i.test(sql)) return run(sql, parameters)
    statements.push(await explainStatement(sql, parameters))
    return inSavepoint(() => run(sql, parameters), true)
  }
  return {
    statements,
    sent,
    send(sql: string, parameters: readonly unknown[] = []) {
      const result = last.then(() => sendNext(sql, parameters))
      last = result.catch(() => {})
      return result
    },
  }
}

/** The statement that replaces `begin`, `commit` or `rollback` of the application; undefined for other statements. */
function controlStatement(sql: string): string | undefined {
  if (/^\s*(?:begin|start transaction)\b/i.test(sql)) return 'savepoint application'
  if (/^\s*(?:commit|end)\b/i.test(sql)) return 'release savepoint application'
  return /^\s*(?:rollback|abort)\b(?!.*\bto\b)/i.test(sql) ? 'rollback to savepoint application' : undefined
}

function withoutSent(observed: readonly string[], sent: readonly string[]): string[] {
  const own = new Map<string, number>()
  for (const sql of sent) own.set(sql, (own.get(sql) ?? 0) + 1)
  return observed.filter((sql) => {
    const count = own.get(sql) ?? 0
    if (count > 0) own.set(sql, count - 1)
    return count === 0 && !/^(?:begin|start transaction|commit|rollback)\b/i.test(sql)
  })
}
