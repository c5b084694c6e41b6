import type { Clock } from '#http'
import { once } from './once.ts'

/** Reads of collections, of which some run at the same time. */
export class ReadQueue {
  readonly #clock: Clock
  readonly #places: number
  readonly #limit: number
  readonly #waiting: Read[] = []
  #running = 0

  /** `limit`: milliseconds after which a read gives its place to another one, because it may never end. */
  constructor(clock: Clock, { places, limit }: { readonly places: number; readonly limit: number }) {
    this.#clock = clock
    this.#places = places
    this.#limit = limit
  }

  add(read: Read): void {
    this.#waiting.push(read)
    this.#fill()
  }

  #fill(): void {
    while (this.#running < this.#places) {
      const read = this.#waiting.shift()
      if (!read) return
      this.#running++
      void this.#run(read)
    }
  }

  async #run({ run, onLate }: Read): Promise<void> {
    const leave = once(() => {
      this.#running--
      this.#fill()
    })
    const cancel = this.#clock.after(this.#limit, () => {
      onLate()
      leave()
    })
    await run()
    cancel()
    leave()
  }
}

interface Read {
  /** Never rejects. */
  readonly run: () => Promise<void>
  /** Called when the time is over. */
  readonly onLate: () => void
}
