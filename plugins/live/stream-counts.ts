import { liveProcessFull, liveStreamsExceeded } from './errors.ts'
import type { Settings } from './settings.ts'

/** The numbers of open streams of the process and of each requester. */
export class StreamCounts {
  readonly #limits: Settings
  /** By principal or address. */
  readonly #owners = new Map<string, number>()
  #total = 0

  constructor(limits: Settings) {
    this.#limits = limits
  }

  get total(): number {
    return this.#total
  }

  get isFull(): boolean {
    return this.#total >= this.#limits.streams
  }

  /** Throws if there are too many. */
  add(owner: string): void {
    const owned = this.#owners.get(owner) ?? 0
    const { perPrincipal, streams } = this.#limits
    if (owned >= perPrincipal) throw liveStreamsExceeded({ limit: perPrincipal })
    if (this.isFull) throw liveProcessFull({ limit: streams })
    this.#owners.set(owner, owned + 1)
    this.#total++
  }

  remove(owner: string): void {
    this.#total--
    const left = (this.#owners.get(owner) ?? 1) - 1
    if (left === 0) this.#owners.delete(owner)
    else this.#owners.set(owner, left)
  }
}
