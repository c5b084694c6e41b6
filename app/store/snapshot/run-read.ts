import type { Deadline } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { isRetryable } from '../errors/sql-errors.ts'
import { type ReadConnection, runWith } from './read-connection.ts'
import type { ReadSource } from './read-source.ts'
import { SingleStatement } from './single-statement.ts'
import { Snapshot } from './snapshot.ts'

/** Attempts of a read with retryable errors: after a table was altered, each prepared statement of the read may fail once. */
const maxAttempts = 10

export interface ReadOptions {
  readonly orm: Orm
  readonly source: ReadSource
  readonly deadline: Deadline | null
  /** Whether one statement is enough for the read. A wrong answer is noticed, and costs that statement. */
  readonly isSingle: boolean
  readonly onSecondStatement?: (() => void) | undefined
}

type Work<T> = (connection: ReadConnection) => Promise<T>

/** Runs a read of which all statements see one state of the database. */
export function runRead<T>(options: ReadOptions, work: Work<T>): Promise<T> {
  if (!options.isSingle) return runSnapshot(options, work)
  const { orm, source } = options
  const connection = new SingleStatement(orm, source.query)
  return runWith(connection, work).then(
    (result) => {
      connection.end()
      return connection.isExceeded ? runAgain(options, work) : result
    },
    (error) => {
      connection.end()
      if (connection.isExceeded) return runAgain(options, work)
      throw error
    },
  )
}

/** Runs a read in a snapshot whose second statement was refused. */
function runAgain<T>(options: ReadOptions, work: Work<T>): Promise<T> {
  options.onSecondStatement?.()
  return runSnapshot(options, work)
}

async function runSnapshot<T>({ orm, source, deadline }: ReadOptions, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    deadline?.check()
    const snapshot = new Snapshot(orm, source, deadline)
    try {
      const working = runWith(snapshot, work)
      const result = await (deadline ? deadline.within(working) : working)
      snapshot.end('commit')
      if (!snapshot.failure || !source.failsOver(snapshot.failure.error)) return result
    } catch (error) {
      snapshot.end('rollback')
      const { failure } = snapshot
      if (!failure || !(source.failsOver(failure.error) || (attempt < maxAttempts && isRetryable(failure.error))))
        throw error
    }
  }
}
