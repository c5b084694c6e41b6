import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import type { App } from '#kernel/plugin'
import type { Consumer } from './deliveries.ts'
import { listenerConsumers } from './listeners.ts'
import { type ConsumerState, runConsumer } from './run-consumer.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Consumers that plugins have added. */
    addedConsumers?: Consumer[]
    /** All consumers, with their runs in this process. */
    changeConsumers?: readonly RunningConsumer[]
  }
}

/** Milliseconds for which running deliveries may end when the application is closed. */
const closeTime = 10_000
/** Milliseconds for which interrupted deliveries may release their claims. */
const releaseTime = 1_000

/** Runs work outside of the job that has started it, which ends earlier. */
const outsideOfJobs = AsyncLocalStorage.snapshot()

/** Adds a consumer of the changes. Plugins call it in `setup`. */
export function consumeChanges(app: App, consumer: Consumer): void {
  app.addedConsumers ??= []
  app.addedConsumers.push(consumer)
}

export function consumersOf(app: App): readonly RunningConsumer[] {
  app.changeConsumers ??= createConsumers(app)
  return app.changeConsumers
}

/** Deliveries and requests have the same time to end when a graceful shutdown begins. */
function createConsumers(app: App): readonly RunningConsumer[] {
  app.stopping.addEventListener('abort', () => void closeConsumers(app), { once: true })
  const consumers = [...listenerConsumers(app), ...(app.addedConsumers ?? [])]
  return consumers.map((consumer) => new RunningConsumer(app, consumer))
}

/** Takes the changes that can be read and performs the deliveries that are due; the queue calls it every second. */
export async function deliverChanges(app: App): Promise<void> {
  const runs = await Promise.allSettled(consumersOf(app).map((consumer) => consumer.run()))
  for (const run of runs) if (run.status === 'rejected') throw run.reason
}

const notOfThisRelease =
  'This release has no such consumer of the change log, which keeps all changes for it. If no release has it, delete its row of change_consumers.'

/** Logs the registered consumers that this process does not have: of another release, or of a listener that was removed. */
export async function warnOfOthers(app: App): Promise<void> {
  const names = consumersOf(app).map(({ consumer }) => consumer.name)
  const rows = await app.store.query('select name from change_consumers order by name')
  for (const { name } of rows)
    if (!names.includes(name as string)) app.logger?.warn({ consumer: name }, notOfThisRelease)
}

/** Begins no more deliveries, and interrupts those that do not end in time; other processes repeat them. */
export async function closeConsumers({ changeConsumers = [] }: App, milliseconds = closeTime): Promise<void> {
  await Promise.all(changeConsumers.map((consumer) => consumer.close(milliseconds)))
}

/** A consumer with its runs in this process, one at a time. No consumer waits for the receivers of another one. */
class RunningConsumer {
  readonly consumer: Consumer
  readonly #app: App
  readonly #state: ConsumerState = { position: -1n, failing: new Set() }
  readonly #closing = new AbortController()
  readonly #stopping = new AbortController()
  #current: Promise<void> = Promise.resolve()
  /** The run after the current one. */
  #next: Promise<void> | null = null
  #closed: Promise<void> | null = null

  constructor(app: App, consumer: Consumer) {
    this.#app = app
    this.consumer = consumer
  }

  /** Resolves after a run that has begun after the call. */
  run(): Promise<void> {
    this.#next ??= this.#current
      .catch(() => {}) // logged
      .then(() => {
        this.#next = null
        this.#current = this.#closing.signal.aborted ? Promise.resolve() : outsideOfJobs(() => this.#perform())
        return this.#current
      })
    return this.#next
  }

  async #perform(): Promise<void> {
    const signals = { closing: this.#closing.signal, stopping: this.#stopping.signal }
    try {
      await runConsumer(this.#app, this.consumer, this.#state, signals)
    } catch (error) {
      const fields = { err: error, consumer: this.consumer.name }
      this.#app.logger?.error(fields, 'Changes were not delivered; the next attempt follows within seconds.')
      throw error
    }
  }

  close(milliseconds: number): Promise<void> {
    this.#closed ??= this.#end(milliseconds)
    return this.#closed
  }

  async #end(milliseconds: number): Promise<void> {
    this.#closing.abort()
    if (await this.#endsWithin(milliseconds)) return
    this.#stopping.abort()
    await this.#endsWithin(releaseTime)
  }

  #endsWithin(milliseconds: number): Promise<boolean> {
    const ended = this.#current.then(
      () => true,
      () => true,
    )
    return Promise.race([ended, setTimeout(milliseconds, false, { ref: false })])
  }
}
