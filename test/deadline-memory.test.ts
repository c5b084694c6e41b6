import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { createDeadlines } from '#kernel/store'

describe('The deadline of a finished request', () => {
  it('does not keep its response in memory until the next full garbage collection', async () => {
    const start = createDeadlines(30_000, { now: () => 0, every: () => () => {} })
    const inFlight: { finished: Promise<void>; end: () => void }[] = []
    collectYoung()
    const before = oldGeneration()
    for (let count = 1; count <= 10_000; count++) {
      const { promise, resolve: end } = Promise.withResolvers<void>()
      const response = { headersSent: false, body: new Array(500).fill(count) } // 4 kB
      inFlight.push({ finished: start(response)?.finish(promise) as Promise<void>, end })
      if (inFlight.length < 8) continue
      const first = inFlight.shift()
      first?.end()
      await first?.finished
      if (count % 100 === 0) collectYoung()
    }
    // A collection moves only the requests in flight to the old generation: 7 of 100.
    expect((oldGeneration() - before) / 1e6).to.be.below(10)
  })
})

setFlagsFromString('--expose-gc')
const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')

/** Moves the objects that are in use to the old generation, which they do by surviving twice. */
function collectYoung(): void {
  collect({ type: 'minor' })
  collect({ type: 'minor' })
}

/** Bytes of all objects that have survived young collections. */
function oldGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}
