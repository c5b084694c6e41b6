import type { Deadline, Unit } from '#kernel/store'
import type { Orm, StoreQueue } from '../connection/types.ts'
import { throwReadError } from '../errors/api-errors.ts'
import { isRetryable } from '../errors/sql-state.ts'
import { StoreUnit } from '../unit.ts'
import { currentConnection } from './read-connection.ts'
import type { ReadSource } from './read-source.ts'
import { SingleStatement } from './single-statement.ts'
import { Snapshot } from './snapshot.ts'

/** Attempts of a read with retryable errors: after a table was altered, each prepared statement of the read may fail once. */
const maxAttempts = 10

interface RunReadOptions {
  readonly orm: Orm
  readonly queue: StoreQueue
  readonly source: ReadSource
  readonly deadline: Deadline | null
  /** Whether one statement is enough for the read. A wrong answer is noticed, and costs that statement. */
  readonly isSingle: boolean
  readonly onSecondStatement?: (() => void) | undefined
}

type Work<T> = (unit: Unit) => Promise<T>

/** Runs a read of which all statements see one state of the database. Throws the errors of the database as errors of a read. */
export function runRead<T>(options: RunReadOptions, work: Work<T>): Promise<T> {
  if (!options.isSingle) return runSnapshot(options, work).catch(throwReadError)
  const { orm, queue, source, deadline } = options
  const connection = new SingleStatement(orm, source.query)
  return currentConnection.run(connection, work, new StoreUnit(orm, queue, connection, deadline)).then(
    (result) => {
      connection.end()
      return connection.isExceeded ? runAgain(options, work) : result
    },
    (error) => {
      connection.end()
      return connection.isExceeded ? runAgain(options, work) : throwReadError(error)
    },
  )
}

/** Runs a read in a snapshot whose second statement was refused. */
function runAgain<T>(options: RunReadOptions, work: Work<T>): Promise<T> {
  options.onSecondStatement?.()
  return runSnapshot(options, work).catch(throwReadError)
}

async function runSnapshot<T>({ orm, queue, source, deadline }: RunReadOptions, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    deadline?.check()
    const snapshot = new Snapshot(orm, source, deadline)
    try {
      const working = currentConnection.run(snapshot, work, new StoreUnit(orm, queue, snapshot, deadline))
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
