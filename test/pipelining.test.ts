import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Client, Pool } from '#store/driver/session.ts'
import { createLanes } from '#store/driver-pipelined/pipelined-pool.ts'

describe('Reads outside of transactions', () => {
  it('have a connection to themselves until their statement has a name', async () => {
    const pool = new ScriptedPool(4)
    const { query } = createLanes(pool, setup)
    const text = someText()
    const answers = [query(text, [1]), query(text, [2])]
    await setImmediate()
    expect(pool.clients.map((client) => client.alone)).to.deep.equal([1, 1])
    for (const client of pool.clients) client.answer()
    await Promise.all(answers)
    expect(pool.released).to.deep.equal([false, false])
  })

  it('share half of the connections, the one with the least to do first, once it has', async () => {
    const { pool, query, text } = await named(4)
    const answers = [1, 2, 3, 4, 5].map((value) => query(text, [value]))
    await setImmediate()
    expect(pool.clients.map((client) => client.asked)).to.deep.equal([
      [1, 3, 5],
      [2, 4],
    ])
    for (const client of pool.clients) client.answer()
    expect((await Promise.all(answers)).map(([row]) => row?.value)).to.deep.equal([1, 2, 3, 4, 5])
  })

  it('keep a connection for whoever asks again, and give it back when nobody has for a moment', async () => {
    const { pool, lanes, query, text } = await named(2)
    await answered(pool, query(text, [1]))
    expect(lanes.idleCount).to.equal(1)
    await setTimeout(10)
    await answered(pool, query(text, [2]))
    expect(pool.released).to.deep.equal([])
    await setTimeout(60)
    expect(pool.released).to.deep.equal([false])
    expect(lanes.idleCount).to.equal(0)
    await answered(pool, query(text, [3]))
    expect(pool.clients[0]?.asked).to.deep.equal([1, 2, 3])
  })

  it('go to the server together when they are asked in one go, or while it is busy', async () => {
    const { pool, query, text } = await named(2)
    await answered(pool, query(text, [0]))
    const log = pool.clients[0]?.log as unknown[]
    log.length = 0
    const answers = [1, 2].map((value) => query(text, [value]))
    await null
    expect(log.splice(0)).to.deep.equal(['cork', 1, 2, 'uncork'])
    answers.push(query(text, [3]))
    await null
    answers.push(query(text, [4]))
    expect(log).to.deep.equal(['cork', 3, 4])
    await setImmediate()
    expect(log).to.deep.equal(['cork', 3, 4, 'uncork'])
    await answered(pool, Promise.all(answers))
  })

  it('share a connection when two are asked in one go, and leave another one to the next', async () => {
    const { pool, query, text } = await named(4)
    await answered(pool, Promise.all([query(text, [1]), query(text, [2])]))
    const answers = [3, 4, 5].map((value) => query(text, [value]))
    expect(pool.clients.map((client) => client.asked)).to.deep.equal([
      [1, 3, 4],
      [2, 5],
    ])
    await answered(pool, Promise.all(answers))
  })

  it('give the connection that nobody uses to those who wait for one of their own', async () => {
    const { pool, query, text } = await named(1)
    await answered(pool, query(text, [1]))
    expect(pool.released).to.deep.equal([])
    const writer = await pool.connect()
    expect(pool.released).to.deep.equal([false])
    const second = query(text, [2])
    writer.release()
    await answered(pool, second)
  })

  it('keep the connection when another one is free for those who want one of their own', async () => {
    const { pool, query, text } = await named(2)
    await answered(pool, query(text, [1]))
    const writer = await pool.connect()
    expect(pool.released).to.deep.equal([])
    writer.release()
    await answered(pool, query(text, [2]))
  })

  it('keep no connection when all are closed', async () => {
    const { pool, query, text } = await named(4)
    const answers = [query(text, [1]), query(text, [2])]
    await setImmediate()
    pool.clients[0]?.answer()
    const ended = pool.end()
    expect(pool.released).to.deep.equal([false])
    pool.clients[1]?.answer()
    expect(pool.released).to.deep.equal([false, false])
    await Promise.all([...answers, ended])
  })

  it('do not use a connection again that was lost while nobody did', async () => {
    const { pool, query, text } = await named(2)
    await answered(pool, query(text, [1]))
    pool.clients[0]?.emit('error', new Error('Connection terminated unexpectedly'))
    expect(pool.released).to.deep.equal([true])
    await answered(pool, query(text, [2]))
    expect(pool.clients.map((client) => client.asked)).to.deep.equal([[1], [2]])
  })

  it('let those go first who wait for a connection of their own', async () => {
    const { pool, query, text } = await named(2)
    const first = query(text, [1])
    await setImmediate()
    const taken = await pool.connect()
    const waiting = pool.connect()
    const second = query(text, [2])
    await setImmediate()
    expect(pool.clients[0]?.asked).to.deep.equal([1])
    pool.clients[0]?.answer()
    await first
    const writer = await waiting
    expect(writer).to.equal(pool.clients[0])
    writer.release()
    await setImmediate()
    pool.clients[0]?.answer()
    await second
    taken.release()
  })

  it('do not stand behind a statement the server does not get done with', async () => {
    const { pool, query, text } = await named(2)
    const first = query(text, [1])
    await setImmediate()
    const second = later(60, () => query(text, [2]))
    await setImmediate()
    expect(pool.clients.map((client) => client.asked.length + client.alone)).to.deep.equal([1, 1])
    for (const client of pool.clients) client.answer()
    await Promise.all([first, second])
  })

  it('all fail with a connection that is lost, which is not given to anybody else', async () => {
    const { pool, query, text } = await named(2)
    const answers = [1, 2].map((value) => query(text, [value]).catch((error: Error) => error.message))
    await setImmediate()
    pool.clients[0]?.fail(new Error('Query read timeout'))
    expect(await Promise.all(answers)).to.deep.equal(['Query read timeout', 'Query read timeout'])
    await setImmediate()
    expect(pool.released).to.deep.equal([true])
    const third = query(text, [3])
    await setImmediate()
    pool.clients[1]?.answer()
    expect(await third).to.deep.equal([{ value: 3 }])
  })

  it('fail when there is no connection, and ask for another one the next time', async () => {
    const { pool, query, text } = await named(2)
    pool.failure = new Error('nobody there')
    const message = (error: Error) => error.message
    expect(await query(text, [1]).catch(message)).to.equal('nobody there')
    pool.failure = null
    const answer = query(text, [2])
    await setImmediate()
    pool.clients[0]?.answer()
    expect(await answer).to.deep.equal([{ value: 2 }])
  })
})

const setup = { session: null, named: 1_000_000, silence: 1000 }

const someText = () => `select $1 as "${randomUUID()}"`

/** A statement that was sent often enough, by the connections of another pool. */
async function named(max: number) {
  const text = someText()
  const before = new ScriptedPool(2)
  const { query } = createLanes(before, setup)
  for (let use = 0; use < 3; use++) {
    const answer = query(text, [0])
    await setImmediate()
    before.clients[0]?.answer()
    await answer
  }
  const pool = new ScriptedPool(max)
  const lanes = createLanes(pool, setup)
  return { pool, lanes, query: lanes.query, text }
}

/** Every connection answers what it was asked. */
async function answered<T>(pool: ScriptedPool, answer: Promise<T>): Promise<T> {
  await setImmediate()
  for (const client of pool.clients) client.answer()
  return answer
}

/** What is done so many milliseconds from now. */
function later<T>(milliseconds: number, work: () => T): T {
  const { now } = performance
  performance.now = () => now.call(performance) + milliseconds
  try {
    return work()
  } finally {
    performance.now = now
  }
}

type Callback = (error: Error | null, answer: { rows: unknown[] }) => void
type Settle = (error: Error | null, rows: { value: unknown }[]) => void

/** Answers when it is told to, in the order in which it was asked. */
class ScriptedClient extends EventEmitter {
  /** What it was asked, and how that was sent. */
  readonly log: unknown[] = []
  readonly asked: unknown[] = []
  alone = 0
  readonly #waiting: (readonly [value: unknown, settle: Settle])[] = []
  readonly #pool: ScriptedPool

  constructor(pool: ScriptedPool) {
    super()
    this.#pool = pool
  }

  readonly connection = {
    stream: {
      setTimeout() {},
      on() {},
      cork: () => this.log.push('cork'),
      uncork: () => this.log.push('uncork'),
    },
  }

  /** As the driver has it; a statement with a name comes as an object. */
  query(statement: string | { values: readonly unknown[]; callback: Callback }, values: readonly unknown[] = []) {
    if (typeof statement !== 'string') {
      this.asked.push(statement.values[0])
      this.log.push(statement.values[0])
      this.#waiting.push([statement.values[0], (error, rows) => statement.callback(error, { rows })])
      return undefined
    }
    this.alone++
    return new Promise((resolve, reject) => {
      this.#waiting.push([values[0], (error, rows) => (error ? reject(error) : resolve({ rows }))])
    })
  }

  answer(): void {
    for (const [value, settle] of this.#waiting.splice(0)) settle(null, [{ value }])
  }

  fail(error: Error): void {
    for (const [, settle] of this.#waiting.splice(0)) settle(error, [])
  }

  release(isBroken = false): void {
    this.#pool.takeBack(this, isBroken)
  }
}

class ScriptedPool implements Pool {
  readonly clients: ScriptedClient[] = []
  readonly released: boolean[] = []
  failure: Error | null = null
  ending = false
  readonly options: { readonly max: number }
  readonly #idle: ScriptedClient[] = []
  readonly #waiting: ((client: Client) => void)[] = []

  constructor(max: number) {
    this.options = { max }
  }

  get totalCount() {
    return this.clients.length
  }
  get idleCount() {
    return this.#idle.length
  }
  get waitingCount() {
    return this.#waiting.length
  }

  async connect(): Promise<Client> {
    if (this.failure) throw this.failure
    const idle = this.#idle.pop()
    if (idle) return asClient(idle)
    if (this.clients.length >= this.options.max) return new Promise((resolve) => this.#waiting.push(resolve))
    const client = new ScriptedClient(this)
    this.clients.push(client)
    return asClient(client)
  }

  /** As the driver has it: when all have been given back. */
  async end(): Promise<void> {
    this.ending = true
    while (this.released.length < this.clients.length) await setImmediate()
  }

  takeBack(client: ScriptedClient, isBroken: boolean): void {
    this.released.push(isBroken)
    const next = isBroken ? undefined : this.#waiting.shift()
    if (next) next(asClient(client))
    else if (!isBroken) this.#idle.push(client)
  }
}

function asClient(client: ScriptedClient): Client {
  return client as unknown as Client
}
