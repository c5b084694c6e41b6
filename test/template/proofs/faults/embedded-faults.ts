import type { PGlite, PGliteInterface, Transaction } from '@electric-sql/pglite'
import type { Database } from '#store'
import { type Fault, type FaultInjector, failingStatement, mayHaveRun, type SqlState } from './faults.ts'

/**
 * Fails calls of PGlite. It has no connection to lose: a cut is an error with SQLSTATE 08006 before or after the call.
 * Statements of the job queue outside of transactions are neither counted nor failed.
 */
export async function injectEmbeddedFaults({ orm }: Pick<Database, 'orm'>): Promise<FaultInjector> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<PGlite> }
  const pglite = await connection.getNativeClient()
  const query = pglite.query.bind(pglite)
  const transaction = pglite.transaction.bind(pglite)
  let calls: string[] = []
  let armed: { readonly call: number; readonly fault: Fault } | null = null

  const next = (text: string): Fault | null => {
    calls.push(text)
    const fault = armed?.call === calls.length ? armed.fault : null
    if (fault) armed = null
    return fault
  }
  type Query = PGliteInterface['query']
  const failing = (send: Query): Query =>
    (async (sql: string, ...rest: never[]) => {
      const fault = next(sql)
      if (fault === 'cut before') throw lostConnection()
      if (fault && !mayHaveRun(fault)) return send(failingStatement(fault as SqlState, ''))
      const result = await send(sql, ...rest)
      if (fault) throw lostConnection()
      return result
    }) as Query

  pglite.query = ((sql: string, ...rest: never[]) =>
    (sql.includes('pgboss') ? query : failing(query))(sql, ...rest)) as Query
  pglite.transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    let fault: Fault | null = null
    const result = await transaction(async (tx) => {
      const done = await work({ ...bound(tx), query: failing(tx.query.bind(tx)) })
      fault = next('commit')
      if (fault === 'cut before') throw lostConnection()
      if (fault && !mayHaveRun(fault)) await tx.query(failingStatement(fault as SqlState, ''))
      return done
    })
    if (fault) throw lostConnection()
    return result as T
  }
  return {
    get calls() {
      return calls
    },
    get state() {
      return armed ? 'armed' : 'done'
    },
    arm(call, fault) {
      calls = []
      armed = fault && { call, fault }
    },
    query: async (sql) => ((await pglite.exec(sql)).at(-1)?.rows ?? []) as Record<string, unknown>[],
  }
}

function bound(tx: Transaction): Transaction {
  return {
    query: tx.query.bind(tx),
    sql: tx.sql.bind(tx),
    exec: tx.exec.bind(tx),
    rollback: tx.rollback.bind(tx),
    listen: tx.listen.bind(tx),
    get closed() {
      return tx.closed
    },
  }
}

function lostConnection(): Error {
  return Object.assign(new Error('injected fault: connection lost'), { code: '08006' })
}
