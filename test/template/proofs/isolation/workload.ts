import { setTimeout } from 'node:timers/promises'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { type Answer, createHttpClient, type HttpClient } from '../list-service/http-client.ts'
import type { History, Operation, Transaction } from './history.ts'
import type { LevelName } from './levels.ts'
import {
  type Append,
  appendOperations,
  type ListRead,
  listsIn,
  type NumberedList,
  toReads,
  updateOperation,
} from './lists.ts'

export interface Round {
  /** Returns the URLs of the processes; each request goes to one of them. */
  readonly urls: () => readonly string[]
  readonly level: LevelName
  readonly seed: number
  /** Distinguishes the rows of this round. */
  readonly number: number
  readonly transactions: number
  readonly clients: number
  /** The percentage of documents among single requests; the others are batches. */
  readonly reads?: number
  /** Runs beside the clients, which go on until it resolves. */
  readonly failure?: () => Promise<void>
}

/** Milliseconds after a response that was lost, or a 503. */
const retryDelay = 20
/** The session that creates the lists and reads them at the end. */
const finalSession = 255
/** Lists of a round. Few, so that the transactions conflict. */
const listCount = 6
/** More than the elements of a round. */
const elementsPerRound = 100_000

/** Runs transactions of concurrent clients on new lists, and reads all lists at the end. */
export async function recordHistory(round: Round): Promise<History> {
  const client = createHttpClient(round.clients)
  const recorder = new Recorder(client, round)
  try {
    await recorder.createLists()
    const clients = Array.from({ length: round.clients }, (_, session) => recorder.runClient(session))
    await Promise.all([recorder.runFailure(), ...clients])
    await recorder.finish()
    return recorder.history
  } finally {
    client.close()
  }
}

class Recorder {
  readonly history: Transaction[] = []
  readonly #client: HttpClient
  readonly #round: Round
  readonly #lists: ReadonlyMap<number, NumberedList>
  /** The cookie of each session. */
  readonly #cookies = new Map<number, string>()
  #elements: number
  #started = 0
  #isFailing = false

  constructor(client: HttpClient, round: Round) {
    this.#client = client
    this.#round = round
    this.#elements = round.number * elementsPerRound
    // The version of a list does not cover the rows of its join table.
    const forms = round.level.endsWith('-versions') || round.level === 'one-version' ? 1 : 2
    const lists = Array.from({ length: listCount }, (_, index) => ({
      id: round.number * listCount + index + 1,
      form: index % forms === 0 ? ('items' as const) : ('members' as const),
    }))
    this.#lists = new Map(lists.map((list) => [list.id, list]))
  }

  get #group(): string {
    return String(this.#round.number + 1)
  }

  async createLists(): Promise<void> {
    const group = { type: 'groups', id: this.#group }
    const lists = [...this.#lists.keys()].map((id) => ({
      op: 'add',
      data: { type: 'lists', id: String(id), attributes: { items: [] }, relationships: { group: { data: group } } },
    }))
    const [url = ''] = this.#round.urls()
    const { status, body } = await this.#post(finalSession, url, [{ op: 'add', data: group }, ...lists])
    if (status !== 200) throw new Error(`Creating the lists returned ${status}: ${JSON.stringify(body)}`)
  }

  async runFailure(): Promise<void> {
    this.#isFailing = true
    try {
      await this.#round.failure?.()
    } finally {
      this.#isFailing = false
    }
  }

  async runClient(session: number): Promise<void> {
    const { seed, transactions } = this.#round
    const random = createRandomSource(seed * 1_000 + session)
    while (this.#started < transactions || this.#isFailing) {
      this.#started++
      await this.#runTransaction(session, random)
    }
  }

  /** Reads all lists, after a write of the same client, so that no replica that lags behind serves the read. */
  async finish(): Promise<void> {
    const [url = ''] = this.#round.urls()
    const path = `${url}/groups/${this.#group}?include=lists`
    const write = () => {
      const appends = [...this.#lists.values()].map((list) => this.#newAppend(list))
      return this.#appendAll(finalSession, url, appends)
    }
    while ((await write()).status !== 200) await setTimeout(retryDelay)
    let answer = await this.#send(finalSession, 'GET', path)
    while (answer.status !== 200) answer = await this.#send(finalSession, 'GET', path)
    this.#record(finalSession, answer, toReads(listsIn(answer, this.#lists)))
  }

  /** Half of the transactions are of the level; the others are single requests, which read and change the same lists. */
  async #runTransaction(session: number, random: RandomSource): Promise<void> {
    const { level, urls, reads = 40 } = this.#round
    const url = random.pick(urls())
    if (level === 'requests' || random.chance(50)) {
      return random.chance(reads) ? void (await this.#read(session, random, url)) : this.#append(session, random, url)
    }
    if (level === 'included') return this.#writeAndInclude(session, random, url)
    const read = await this.#read(session, random, url, { records: false })
    return this.#writeAfterRead(session, random, read)
  }

  /** Reads lists by one request. */
  async #read(session: number, random: RandomSource, url: string, { records = true } = {}): Promise<ListRead[]> {
    const some = this.#pickLists(random, 1 + random.below(3)).map(({ id }) => id)
    const path = random.pick([
      `/lists?filter[id]=${some.join()}`,
      `/groups/${this.#group}?include=lists`,
      `/groups/${this.#group}/lists`,
      `/lists/${some[0]}`,
    ])
    const answer = await this.#send(session, 'GET', url + path)
    const read = answer.status === 200 ? listsIn(answer, this.#lists) : []
    if (records) this.#record(session, answer, toReads(read))
    return read
  }

  /** Appends to one to three lists by one batch. A tenth of the batches fail at their last operation. */
  async #append(session: number, random: RandomSource, url: string): Promise<void> {
    const lists = this.#pickLists(random, 1 + random.below(3))
    if (random.chance(30)) lists.push(random.pick(lists))
    // Batches in opposite orders would deadlock all the time: one in twenty has a random order.
    if (!random.chance(5)) lists.sort((a, b) => a.id - b.id)
    const appends = lists.map((list) => this.#newAppend(list))
    await this.#appendAll(session, url, appends, random.chance(10) ? [updateOperation({ id: 0 }, {})] : [])
  }

  async #appendAll(session: number, url: string, appends: readonly Append[], more: readonly object[] = []) {
    const answer = await this.#post(session, url, [...appends.flatMap(appendOperations), ...more])
    this.#recordWrite(session, answer, [], appends)
    return answer
  }

  /** Appends to one of the lists that were read; with all versions, maybe to others, and compares those of the rest. */
  async #writeAfterRead(session: number, random: RandomSource, read: readonly ListRead[]): Promise<void> {
    const { level, urls } = this.#round
    if (read.length === 0) return
    const chosen = random.pick(read)
    const appends: Append[] = []
    const operations = read.flatMap((required) => {
      const condition = level === 'no-version' ? {} : { required, replaces: random.chance(50) }
      if (required !== chosen && level !== 'all-versions') return []
      if (required !== chosen && random.chance(70)) return [updateOperation({ id: required.list }, {}, required)]
      const append = { ...this.#newAppend(this.#lists.get(required.list) as NumberedList), ...condition }
      appends.push(append)
      return appendOperations(append)
    })
    const answer = await this.#post(session, random.pick(urls()), operations)
    this.#recordWrite(session, answer, read, appends)
  }

  async #writeAndInclude(session: number, random: RandomSource, url: string): Promise<void> {
    const items = [...this.#lists.values()].filter(({ form }) => form === 'items')
    const append = this.#newAppend(random.pick(items))
    const data = { type: 'lists', id: String(append.list.id), attributes: { append: append.element } }
    const answer = await this.#send(session, 'PATCH', `${url}/lists/${append.list.id}?include=group.lists`, { data })
    this.#recordWrite(session, answer, [], [append])
  }

  #newAppend(list: NumberedList): Append {
    return { list, element: ++this.#elements }
  }

  #pickLists(random: RandomSource, count: number): NumberedList[] {
    const all = [...this.#lists.values()]
    return [...new Set(Array.from({ length: count }, () => random.pick(all)))]
  }

  #post(session: number, url: string, operations: readonly object[]): Promise<Answer> {
    return this.#send(session, 'POST', `${url}/operations`, { 'atomic:operations': operations })
  }

  /** Every session is a client with its own address, which keeps cookies. */
  async #send(session: number, method: string, url: string, body?: object): Promise<Answer> {
    const cookie = this.#cookies.get(session)
    const headers = { 'x-forwarded-for': `10.0.0.${session}`, ...(cookie && { cookie }) }
    const answer = await this.#client.send(method, url, { body, headers })
    if (answer.cookie) this.#cookies.set(session, answer.cookie)
    if (readOutcome(answer) === 'unknown') await setTimeout(retryDelay)
    return answer
  }

  /** A write that fails leaves a transaction of the reads before it. */
  #recordWrite(session: number, answer: Answer, before: readonly ListRead[], appends: readonly Append[]): void {
    const reads = toReads(before)
    const writes: Operation[] = appends.map(({ list, element }) => ({ kind: 'append', list: list.id, element }))
    if (readOutcome(answer) === 'committed') {
      this.#record(session, answer, [...reads, ...writes, ...toReads(listsIn(answer, this.#lists))])
    } else {
      if (reads.length > 0) this.#record(session, { ...answer, status: 200 }, reads)
      this.#record(session, answer, writes)
    }
  }

  #record(session: number, answer: Answer, operations: readonly Operation[]): void {
    if (operations.length === 0) return
    this.history.push({ id: this.history.length, session, outcome: readOutcome(answer), operations })
  }
}

/** Throws for a response that no request of a round should get. */
function readOutcome({ status, body }: Answer): Transaction['outcome'] {
  if (status === 200 || status === 204) return 'committed'
  if (status === 404 || status === 412) return 'aborted'
  if (status === 503 || status === 0) return 'unknown'
  throw new Error(`A request returned ${status}: ${JSON.stringify(body)}`)
}
