import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { type Answer, createHttpClient, type HttpClient, type Message } from '../list-service/http-client.ts'

export interface LoadOptions {
  readonly urls: readonly string[]
  readonly clients: number
  readonly seed: number
  /** Closes a random connection of the services to their database. */
  readonly closeDatabaseConnection: () => Promise<unknown>
}

/** Counters since the start. */
export interface LoadCounts {
  requests: number
  faults: number
  /** Writes that succeeded. Each was sent with an idempotency key until it was answered. */
  writes: number
  replayed: number
  /** Responses with 503. */
  unavailable: number
}

export interface Load {
  readonly counts: LoadCounts
  /** Responses that no request should get. */
  readonly failures: string[]
  /** Ids of the rows that exist after all acknowledged writes. */
  readonly rows: ReadonlySet<string>
  /** Response times in milliseconds since the last call, without faults. */
  takeTimes(): number[]
  /** Resolves when no request is in flight and all connections are closed. */
  pause(): Promise<void>
  resume(): void
  stop(): Promise<void>
}

/** Of so many requests one is faulty, the first one included. */
const faultInterval = 50
/** Rows of a client; more are deleted, so that the tables do not grow. */
const maxRows = 30
const list = { type: 'lists', id: '1' }

/** Starts clients that read, create, change and delete rows. Each fiftieth request is faulty. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const load = new MixedLoad(options)
  await load.start()
  return load
}

class MixedLoad implements Load {
  readonly counts: LoadCounts = { requests: 0, faults: 0, writes: 0, replayed: 0, unavailable: 0 }
  readonly failures: string[] = []
  readonly rows = new Set<string>()
  readonly #options: LoadOptions
  #client: HttpClient
  #times: number[] = []
  #isRunning = true
  /** Without repetitions. */
  #sent = 0
  #isPaused = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: LoadOptions) {
    this.#options = options
    this.#client = createHttpClient(options.clients)
  }

  async start(): Promise<void> {
    const group = { type: 'groups', id: '1' }
    const attributes = { items: [1, 2, 3] }
    const operations = [
      { op: 'add', data: group },
      { op: 'add', data: { ...list, attributes, relationships: { group: { data: group } } } },
    ]
    const [url] = this.#options.urls
    const batch = { body: { 'atomic:operations': operations } }
    const answer = await this.#client.send('POST', `${url}/operations`, batch)
    if (answer.status !== 200) throw new Error(unexpected('Creating the list', answer))
    this.resume()
  }

  resume(): void {
    this.#isPaused = false
    this.#running = Promise.all(Array.from({ length: this.#options.clients }, (_, client) => this.#runClient(client)))
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#running
    this.#client.close()
    this.#client = createHttpClient(this.#options.clients)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await this.#running
    this.#client.close()
  }

  takeTimes(): number[] {
    return this.#times.splice(0)
  }

  async #runClient(client: number): Promise<void> {
    const random = createRandomSource(this.#options.seed * 1_000 + client + this.counts.requests)
    const rows = new Set([...this.rows].filter((id) => Number(id) % this.#options.clients === client))
    while (this.#isRunning && !this.#isPaused) await this.#sendNext(random, rows)
  }

  async #sendNext(random: RandomSource, rows: Set<string>): Promise<void> {
    const url = random.pick(this.#options.urls)
    const isFaulty = this.#sent++ % faultInterval === 0
    if (isFaulty) this.counts.faults++
    if (isFaulty && random.chance(60)) return this.#sendInvalid(random, url)
    const abortsAfter = isFaulty ? random.below(6) : null
    if (random.chance(60)) return this.#read(random, url, abortsAfter)
    return this.#write(random, rows, abortsAfter)
  }

  async #read(random: RandomSource, url: string, abortsAfter: number | null): Promise<void> {
    const path = random.pick([
      '/lists/1',
      '/groups/1?include=lists.members',
      '/lists?filter[id]=1',
      '/numbers',
      '/groups/1/lists',
    ])
    if (abortsAfter !== null) return void (await this.#client.send('GET', url + path, { abortsAfter }))
    this.#expect(`GET ${path}`, await this.#timed('GET', url + path), [200, 503])
  }

  /** Creates or deletes a row, or changes the list. */
  async #write(random: RandomSource, rows: Set<string>, abortsAfter: number | null): Promise<void> {
    const [oldest] = rows
    if (oldest !== undefined && rows.size > maxRows) {
      await this.#keyed(random, 'DELETE', `/numbers/${oldest}`, { abortsAfter })
      rows.delete(oldest)
      this.rows.delete(oldest)
    } else if (random.chance(20)) {
      const data = { ...list, attributes: { items: [random.below(1_000), 2, 3] } }
      await this.#keyed(random, 'PATCH', '/lists/1', { body: { data }, abortsAfter })
    } else {
      const data = { type: 'numbers' }
      const isBatch = random.chance(30)
      const body = isBatch ? { 'atomic:operations': [{ op: 'add', data }] } : { data }
      const answer = await this.#keyed(random, 'POST', isBatch ? '/operations' : '/numbers', { body, abortsAfter })
      const id = isBatch ? answer.body['atomic:results'][0].data.id : answer.body.data.id
      rows.add(id)
      this.rows.add(id)
    }
    this.counts.writes++
  }

  /** Sends the request with one idempotency key until it succeeds. Throws if it is refused. */
  async #keyed(random: RandomSource, method: string, path: string, { abortsAfter, ...message }: Message) {
    const keyed = { ...message, headers: { 'idempotency-key': randomUUID() } }
    const urlOf = () => random.pick(this.#options.urls) + path
    if (typeof abortsAfter === 'number') await this.#client.send(method, urlOf(), { ...keyed, abortsAfter })
    for (;;) {
      const answer = await this.#timed(method, urlOf(), keyed)
      if (answer.isReplayed) this.counts.replayed++
      if (answer.status >= 200 && answer.status < 300) return answer
      if (![0, 409, 503].includes(answer.status)) throw new Error(unexpected(`${method} ${path}`, answer))
      await setTimeout(10)
    }
  }

  async #timed(method: string, url: string, message?: Message): Promise<Answer> {
    const startedAt = performance.now()
    const answer = await this.#client.send(method, url, message)
    this.#times.push(performance.now() - startedAt)
    this.counts.requests++
    if (answer.status === 503) this.counts.unavailable++
    return answer
  }

  /** A broken document, a batch that fails at its end, or a lost database connection. */
  async #sendInvalid(random: RandomSource, url: string): Promise<void> {
    const kind = random.below(3)
    if (kind === 0) return void (await this.#options.closeDatabaseConnection())
    const failing = { op: 'remove', ref: { type: 'numbers', id: '0' } }
    const batch = { 'atomic:operations': [{ op: 'add', data: { type: 'numbers' } }, failing] }
    const answer = await (kind === 1
      ? this.#client.send('POST', `${url}/numbers`, { body: { data: { type: 'unknown' } } })
      : this.#client.send('POST', `${url}/operations`, { body: batch }))
    this.counts.requests++
    this.#expect('An invalid request', answer, [404, 409, 503])
  }

  #expect(subject: string, answer: Answer, statuses: readonly number[]): void {
    if (!statuses.includes(answer.status)) this.failures.push(unexpected(subject, answer))
  }
}

function unexpected(subject: string, { status, body }: Answer): string {
  return `${subject} returned ${status}: ${JSON.stringify(body)}`
}
