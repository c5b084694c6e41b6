import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseConnection } from 'kysely'

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export type StatementListener = (statement: Statement) => void

const listeners = new Set<StatementListener>()
const recordings = new AsyncLocalStorage<Statement[]>()
let recordingCount = 0

/** Runs the work and tells what it sent to the database, `begin` and `commit` included. */
export async function recordStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = []
  recordingCount++
  try {
    return { result: await recordings.run(statements, work), statements }
  } finally {
    recordingCount--
  }
}

/** Hears every statement of the process, whoever sends it; returns the function that ends it. */
export function observeStatements(listener: StatementListener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function noteStatement(sql: string, parameters: readonly unknown[] = []): void {
  if (recordingCount === 0 && listeners.size === 0) return
  const statement = { sql, parameters }
  recordings.getStore()?.push(statement)
  for (const listener of listeners) listener(statement)
}

/** MikroORM's `onQuery` sees neither Kysely's statements nor `begin` and `commit`; the connection sees them all. */
export function watchConnection(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection)
  const stream = connection.streamQuery.bind(connection)
  connection.executeQuery = (query, options) => {
    noteStatement(query.sql, query.parameters)
    return execute(query, options)
  }
  connection.streamQuery = (query, chunkSize, options) => {
    noteStatement(query.sql, query.parameters)
    return stream(query, chunkSize, options)
  }
}
