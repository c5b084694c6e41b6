import { AsyncLocalStorage } from 'node:async_hooks'

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export type StatementListener = (statement: Statement) => void

const listeners = new Set<StatementListener>()
const recordings = new AsyncLocalStorage<Statement[]>()
let recordingCount = 0

/** Runs the work and returns its result with the statements it sent, `begin` and `commit` included. */
export async function recordStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = []
  recordingCount++
  try {
    return { result: await recordings.run(statements, work), statements }
  } finally {
    recordingCount--
  }
}

/** Calls the listener for every statement of the process. Returns the function that unsubscribes it. */
export function observeStatements(listener: StatementListener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Called by the drivers for every statement: MikroORM's `onQuery` misses statements of Kysely, `begin` and `commit`. */
export function logStatement(sql: string, parameters: readonly unknown[] = []): void {
  if (recordingCount === 0 && listeners.size === 0) return
  const statement = { sql, parameters }
  recordings.getStore()?.push(statement)
  for (const listener of listeners) listener(statement)
}
