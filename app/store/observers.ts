import { AsyncLocalStorage } from 'node:async_hooks'
import type { JobHeaders, ObservedJob } from '#app/jobs/contract.ts'
import type { Statement, StatementOutcome, StoreObserver } from '#kernel/store'
import { maskLiterals } from './driver/index.ts'

// The observers of statements, of waits for a connection and of jobs: tracing, slow requests, and the statement counts of
// tests. MikroORM's `onQuery` misses statements of Kysely, `begin` and `commit`.

const observers = new Set<StoreObserver>()

/** Adds an observer of the statements, waits and jobs of the process. Returns the function that removes it. */
export function observeStore(observer: StoreObserver): () => void {
  observers.add(observer)
  return () => void observers.delete(observer)
}

/** Calls the listener for every statement of the process. Returns the function that unsubscribes it. */
export function observeStatements(listener: (statement: Statement) => void): () => void {
  return observeStore({ onStatement: (statement) => void listener(statement) })
}

const recordings = new AsyncLocalStorage<Statement[]>()

/** Runs the work and returns its result with the statements it sent, `begin` and `commit` included. */
export async function recordStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = []
  const stop = observeStatements((statement) => {
    if (recordings.getStore() === statements) statements.push(statement)
  })
  try {
    return { result: await recordings.run(statements, work), statements }
  } finally {
    stop()
  }
}

type End<Outcome> = (outcome: Outcome) => void

/** Called by the drivers for every statement before it is sent. Returns the function to call with its outcome, if any. */
export function beginStatement(sql: string, parameters: readonly unknown[]): End<StatementOutcome> | undefined {
  if (observers.size === 0) return undefined
  const statement: Statement = { sql, parameters, text: () => maskLiterals(sql) }
  let end: End<StatementOutcome> | undefined
  for (const observer of observers) {
    const added = observer.onStatement?.(statement)
    end = end && added ? joinEnds(end, added) : (end ?? added)
  }
  return end
}

/** Called by the connection pools before a connection is acquired. Returns the function to call afterwards, if any. */
export function beginWait(): (() => void) | undefined {
  let end: End<void> | undefined
  for (const observer of observers) {
    const added = observer.onWait?.()
    end = end && added ? joinEnds(end, added) : (end ?? added)
  }
  return end
}

/** Returns one function for those that two observers have returned. */
function joinEnds<Outcome>(first: End<Outcome>, second: End<Outcome>): End<Outcome> {
  return (outcome: Outcome) => {
    first(outcome)
    second(outcome)
  }
}

type Add = (headers: JobHeaders) => Promise<string>

/** Enqueues a job inside `onEnqueue` of the observers, which may add headers. */
export function runEnqueue(job: string, add: Add): Promise<string> {
  let run = add
  for (const { onEnqueue } of observers) {
    const inner = run
    if (onEnqueue) run = (headers) => onEnqueue(job, (added) => inner({ ...headers, ...added }))
  }
  return run({})
}

/** Runs a job inside `onJob` of the observers. */
export function runJob(job: ObservedJob, work: () => Promise<void>): Promise<void> {
  let run = work
  for (const { onJob } of observers) {
    const inner = run
    if (onJob) run = () => onJob(job, inner)
  }
  return run()
}
