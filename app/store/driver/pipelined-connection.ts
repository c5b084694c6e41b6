import type { Clock, Row } from '#kernel/store'
import type { DriverObserver, Values } from './contract.ts'
import type { PreparedName } from './prepared-names.ts'
import type { Session } from './session.ts'

/** A connection on which requests send statements without waiting for the answers to earlier ones. */
export class PipelinedConnection {
  inFlight = 0
  /** Whether the connection was lost, or could not be opened. */
  isLost = false
  /** When the server last answered, or was idle and got a statement. */
  lastProgress: number
  readonly #clock: Clock
  readonly #observer: DriverObserver
  readonly #onIdle: () => void
  readonly #opened: Promise<Session>
  #session: Session | undefined

  /** `onIdle` is called whenever no statement is in flight any more. */
  constructor(opened: Promise<Session>, clock: Clock, observer: DriverObserver, onIdle: () => void) {
    this.#observer = observer
    this.#clock = clock
    this.#onIdle = onIdle
    this.#opened = opened
    this.lastProgress = clock.now()
    const onLost = () => {
      this.isLost = true
    }
    opened.then((session) => {
      session.onRelease = onLost
      this.lastProgress = clock.now() // opening does not count as execution time
    }, onLost)
  }

  query(statement: PreparedName, values: Values): Promise<Row[]> {
    if (this.inFlight++ === 0) this.lastProgress = this.#clock.now()
    const sent = this.#session
      ? this.#session.query(statement.text, values, statement)
      : this.#open().then((session) => session.query(statement.text, values))
    return sent.then(
      ({ rows }) => {
        this.#end(statement)
        return rows
      },
      (error) => {
        this.#end(statement)
        throw error
      },
    )
  }

  #end(statement: PreparedName): void {
    const now = this.#clock.now()
    statement.recordDuration(now - this.lastProgress)
    this.lastProgress = now
    this.inFlight--
    if (this.inFlight === 0) this.#onIdle()
  }

  /** Every request that waits for the connection observes the wait. */
  async #open(): Promise<Session> {
    const end = this.#observer.beginWait()
    try {
      this.#session = await this.#opened
      return this.#session
    } finally {
      end?.()
    }
  }

  release(): void {
    this.#session?.release()
  }
}
