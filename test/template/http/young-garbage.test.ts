import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { Connections } from '#app/http/connections.ts'
import { createDeadlines } from '#app/http/deadline.ts'
import { servePipelined } from '#app/http/pipelining.ts'

// What is in use at a young garbage collection moves to the old generation. What has ended before must not.

describe('Young garbage collections', () => {
  it('free the responses of finished requests, which had a deadline', async () => {
    const start = createDeadlines(30_000)
    const growth = await measureGrowth(() => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const deadline = start(withBody({ headersSent: false }))
      const finished = deadline?.limit(promise)
      return async () => {
        resolve()
        await finished
        deadline?.end()
      }
    })
    expect(growth).to.be.below(10)
  })

  it('free closed connections', async () => {
    const server = new EventEmitter()
    const connections = new Connections(server as Server)
    server.on(
      'request',
      servePipelined(connections, () => {}),
    )
    const growth = await measureGrowth(() => {
      const socket = withBody(new EventEmitter())
      server.emit('connection', socket)
      server.emit('request', { socket }, withBody({}))
      return async () => void socket.emit('close')
    })
    expect([...connections]).to.have.length(7)
    expect(growth).to.be.below(10)
  })
})

function withBody<T extends object>(holder: T): T {
  return Object.assign(holder, { body: new Array(500).fill(0) }) // 4 kB
}

/**
 * Begins and ends 10,000 objects, of which seven are in use at a time, with a collection after every hundred. Returns the
 * growth of the old generation in megabytes: about 4 if a collection moves only those in use, 40 if it moves all of them.
 */
async function measureGrowth(begin: () => () => Promise<void>): Promise<number> {
  const inUse: (() => Promise<void>)[] = []
  collectYoung()
  const before = oldGeneration()
  for (let count = 1; count <= 10_000; count++) {
    inUse.push(begin())
    if (inUse.length < 8) continue
    await inUse.shift()?.()
    if (count % 100 === 0) collectYoung()
  }
  return (oldGeneration() - before) / 1e6
}

setFlagsFromString('--expose-gc')
const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')

/** Moves the objects that are in use to the old generation: they do so when they survive twice. */
function collectYoung(): void {
  collect({ type: 'minor' })
  collect({ type: 'minor' })
}

function oldGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}
