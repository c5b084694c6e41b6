import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { as } from '#test/support/principals.ts'
import { findProgram } from '../../../../scripts/template/cluster/programs.ts'
import { withPooler } from '../../../../scripts/template/pooler.ts'
import { withNewDatabase } from '../list-service/database.ts'
import { createHttpClient, type HttpClient } from '../list-service/http-client.ts'
import { type ListService, startListService } from '../list-service/start-service.ts'
import { type Arrival, checkArrivals, type Findings, type LoggedChange } from './check-deliveries.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import { signWith, verifySignatures } from './verify-signatures.ts'
import { type Acknowledged, writeContinually } from './write-continually.ts'

export interface RunOptions {
  readonly seed: number
  /** Processes that are killed, one at a time. */
  readonly kills: number
  /** Seconds for which the receiver refuses connections. */
  readonly downSeconds: number
  /** Seconds without a fault before, in which every event must arrive exactly once. */
  readonly calmSeconds: number
  /** Two processes on a server, or behind PgBouncer in transaction mode; one on the embedded database. */
  readonly database: 'server' | 'pooled' | 'embedded'
  readonly onProgress?: (line: string) => void
}

export interface Result {
  /** Changes of the log. */
  readonly changes: number
  readonly acknowledged: number
  readonly receivers: readonly (Findings & {
    readonly name: string
    readonly expected: number
    readonly arrived: number
  })[]
  /** Faults in sentences. */
  readonly violations: readonly string[]
  readonly verified: string
}

const clients = 4
/** Seconds after the last write in which all deliveries must be done. */
const patience = 150
const secretOf = (name: string) => `whsec_${Buffer.from(name.repeat(32).slice(0, 32)).toString('base64')}`

interface Subscription {
  readonly name: string
  readonly types: readonly string[]
  readonly events: readonly string[]
}

const all = ['created', 'updated', 'deleted', 'restored', 'related']
/** The receivers by the last part of their URL. The listener receives the changes of books. */
const subscriptions: readonly Subscription[] = [
  { name: 'everything', types: ['books', 'shelves'], events: all },
  { name: 'existence', types: ['books'], events: ['created', 'deleted'] },
]
const listener: Subscription = { name: 'listener', types: ['books'], events: all }

/** Kills processes of a service and makes the receiver unavailable while clients write. Compares what arrives with the log. */
export function runWebhooks(options: RunOptions): Promise<Result> {
  if (options.database === 'embedded') return runEmbedded(options)
  return withNewDatabase(async (databaseUrl) => {
    const direct = { DATABASE_URL: databaseUrl, DATABASE_POOLER: '' }
    if (options.database === 'server') return new Run(options, 2, direct, direct).run()
    const pgbouncer = findProgram('pgbouncer')
    if (!pgbouncer) throw new Error('PgBouncer is not installed: apt-get install pgbouncer.')
    return withPooler(pgbouncer, databaseUrl, (url) =>
      new Run(options, 2, { DATABASE_URL: url, DATABASE_POOLER: 'transaction' }, direct).run(),
    )
  })
}

/** The files of the embedded database have one owner. */
async function runEmbedded(options: RunOptions): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'prove-webhooks-'))
  try {
    return await new Run(options, 1, { DATA_DIR: directory }, {}).run()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

type Environment = Readonly<Record<string, string>>

class Run {
  readonly #options: RunOptions
  /** The number of processes. */
  readonly #count: number
  readonly #random: RandomSource
  readonly #services: ListService[] = []
  readonly #acknowledged: Acknowledged = new Map()
  readonly #violations: string[] = []
  readonly #client: HttpClient = createHttpClient(clients)
  readonly #environment: Environment
  /** Other variables of the process that creates the schema. */
  readonly #forSchema: Environment

  constructor(options: RunOptions, count: number, environment: Environment, forSchema: Environment) {
    this.#options = options
    this.#count = count
    this.#forSchema = forSchema
    this.#random = createRandomSource(options.seed)
    this.#environment = { ...environment, WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1', LOG_LEVEL: 'silent' }
  }

  async run(): Promise<Result> {
    const receiver = await startReceiver(this.#random)
    const writing = new AbortController()
    try {
      await this.#startServices(receiver)
      await this.#subscribe(receiver)
      const writers = Array.from({ length: clients }, (_, index) => this.#write(index, writing.signal))
      await this.#stayCalm(receiver)
      const calm = receiver.received.length
      const faults = this.#cause(receiver)
      await Promise.race([faults, Promise.all(writers)])
      await faults
      writing.abort()
      await Promise.all(writers)
      receiver.isFaulty = false
      await this.#awaitDeliveries()
      return await this.#compare(receiver, calm)
    } finally {
      writing.abort()
      this.#client.close()
      await Promise.all(this.#services.map((service) => service.stop('SIGKILL')))
      await receiver.goDown().catch(() => {})
    }
  }

  async #startServices({ url }: Receiver): Promise<void> {
    const environment = { ...this.#environment, LISTENER_URL: `${url}/${listener.name}` }
    const first = await startProcess({ ...environment, ...this.#forSchema, CREATE_SCHEMA: 'true' })
    await first.stop()
    this.#start = () => startProcess(environment)
    for (let index = 0; index < this.#count; index++) this.#services.push(await this.#start())
  }

  #start = (): Promise<ListService> => Promise.reject(new Error('The schema does not exist yet.'))

  async #subscribe({ url }: Receiver): Promise<void> {
    for (const { name, types, events } of subscriptions) {
      const attributes = { url: `${url}/${name}`, types, events, secret: secretOf(name) }
      const { status } = await this.#client.send('POST', `${this.#services[0]?.url}/admin/webhook-subscriptions`, {
        body: { data: { type: 'webhook-subscriptions', attributes } },
        headers: as('admin'),
      })
      if (status !== 201) throw new Error(`A subscription was refused with ${status}.`)
    }
  }

  #write(index: number, signal: AbortSignal): Promise<void> {
    const random = createRandomSource(this.#options.seed + 1 + index)
    return writeContinually(
      this.#client,
      () => this.#services.map(({ url }) => url),
      random,
      this.#acknowledged,
      signal,
    )
  }

  /** Without faults, the processes deliver every event once. */
  async #stayCalm({ received }: Receiver): Promise<void> {
    this.#progress('no faults')
    await setTimeout(this.#options.calmSeconds * 1000)
    const keys = received.map(
      ({ path, headers, body }) => `${path} ${headers['webhook-id'] ?? JSON.parse(body).sequence}`,
    )
    const repeated = keys.length - new Set(keys).size
    if (keys.length === 0) this.#violations.push('No event arrived before the first fault.')
    if (repeated > 0) this.#violations.push(`${repeated} events arrived twice without a fault.`)
  }

  async #cause(receiver: Receiver): Promise<void> {
    const { kills, downSeconds } = this.#options
    receiver.isFaulty = true
    let outage: Promise<void> | null = null
    for (let kill = 1; kill <= kills; kill++) {
      await setTimeout(2_000 + this.#random.below(3_000))
      const index = this.#random.below(this.#services.length)
      this.#progress(`kill ${kill} of ${kills}`)
      await this.#services[index]?.stop('SIGKILL')
      this.#services[index] = await this.#start()
      if (kill === Math.ceil(kills / 3)) outage = this.#takeDown(receiver, downSeconds)
    }
    await outage
  }

  async #takeDown(receiver: Receiver, seconds: number): Promise<void> {
    await receiver.goDown()
    await setTimeout(seconds * 1000)
    await receiver.comeBack()
  }

  /** Ends the pauses after failed attempts, and waits until every consumer has read the log and nothing waits for delivery. */
  async #awaitDeliveries(): Promise<void> {
    // A delivery that is ending locks its row, then the next one of its resource: waiting for both could be a deadlock.
    await this.#ask(
      `update change_deliveries set due_at = now()
       where id in (select id from change_deliveries where state = 'waiting' for update skip locked)`,
    )
    for (const end = performance.now() + patience * 1000; ; await setTimeout(500)) {
      const [row] = await this.#select(
        `select (select max(sequence) from change_log) <= all (select position from change_consumers) as read,
           (select count(*)::int from change_deliveries where state = 'waiting') as waiting`,
      )
      this.#progress(`${row?.waiting} deliveries wait`)
      if (row?.read && row.waiting === 0) return
      if (performance.now() < end) continue
      this.#violations.push(`${row?.waiting} deliveries still wait after ${patience} seconds.`)
      return
    }
  }

  async #compare({ received }: Receiver, calm: number): Promise<Result> {
    const log = await this.#readLog()
    this.#checkAcknowledged(log)
    const sequences = await this.#readSequences()
    const receivers = [...subscriptions, listener].map((subscription) => {
      const expected = log.filter((change) => selects(subscription, change))
      const own = received.filter(({ path }) => path === `/${subscription.name}`)
      const arrivals = own.map((one) => (subscription === listener ? toCall(one) : toEvent(one, sequences)))
      return {
        name: subscription.name,
        expected: expected.length,
        arrived: own.length,
        ...checkArrivals(expected, arrivals),
      }
    })
    for (const { name, missing, foreign, disordered } of receivers)
      for (const [fault, found] of Object.entries({ missing, foreign, disordered }))
        if (found.length > 0) this.#violations.push(`${name}: ${found.length} ${fault}, such as ${found[0]}.`)
    this.#checkCalls(received)
    const dead = await this.#select(`select id from change_deliveries where state = 'dead'`)
    if (dead.length > 0) this.#violations.push(`${dead.length} dead letters.`)
    const verified = this.#verify(received)
    if (received.length === calm) this.#violations.push('No event arrived after the first fault.')
    const acknowledged = [...this.#acknowledged.values()].reduce((sum, count) => sum + count, 0)
    return { changes: log.length, acknowledged, receivers, violations: this.#violations, verified }
  }

  async #readLog(): Promise<LoggedChange[]> {
    const rows = await this.#select(
      `select sequence::int as sequence, l.type, key as id, kind, array_remove(members, 'secret') as members,
         to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "changedAt"
       from change_log l order by l.sequence`,
    )
    return rows as unknown as LoggedChange[]
  }

  /** The changes of the deliveries by their ids. */
  async #readSequences(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#select('select id::text as id, sequence::int as sequence from change_deliveries')
    return new Map(rows.map(({ id, sequence }) => [`msg_${id}`, sequence as number]))
  }

  /** Reads rows as JSON, the same from both databases. */
  async #select(sql: string): Promise<Record<string, unknown>[]> {
    const json = `select coalesce(json_agg(r), '[]')::text as rows from (${sql}) r`
    const [row] = await this.#ask(json)
    return JSON.parse(row?.rows as string)
  }

  async #ask(sql: string): Promise<readonly Record<string, unknown>[]> {
    const [service] = this.#services
    if (!service) throw new Error('The service has not started.')
    return (await service.ask(sql)) as Record<string, unknown>[]
  }

  #checkAcknowledged(log: readonly LoggedChange[]): void {
    const logged = new Map<string, number>()
    for (const { type, id, kind } of log)
      logged.set(`${type} ${id} ${kind}`, (logged.get(`${type} ${id} ${kind}`) ?? 0) + 1)
    for (const [key, count] of this.#acknowledged)
      if ((logged.get(key) ?? 0) < count) this.#violations.push(`An acknowledged change is not in the log: ${key}.`)
  }

  #checkCalls(received: readonly Received[]): void {
    const early = received.filter(({ path, body }) => path === `/${listener.name}` && !JSON.parse(body).isCommitted)
    if (early.length > 0) this.#violations.push(`The listener was called ${early.length} times before the commit.`)
    const followed = received.filter(({ path }) => path === '/redirected')
    if (followed.length > 0) this.#violations.push(`${followed.length} redirects were followed.`)
  }

  #verify(received: readonly Received[]): string {
    const messages = received.flatMap(({ path, headers, body }) => {
      const { name } = subscriptions.find((subscription) => path === `/${subscription.name}`) ?? {}
      if (name === undefined) return []
      const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((part) =>
        String(headers[`webhook-${part}`]),
      )
      return [
        { secret: secretOf(name), id, timestamp, signature, body } as Parameters<typeof verifySignatures>[0][number],
      ]
    })
    const invalid = verifySignatures(messages).filter((isValid) => !isValid).length
    if (invalid > 0) this.#violations.push(`${invalid} signatures are not valid.`)
    return `${messages.length - invalid} of ${messages.length} signatures are valid by ${signWith.program}`
  }

  #progress(line: string): void {
    this.#options.onProgress?.(line)
  }
}

function startProcess(environment: Readonly<Record<string, string>>): Promise<ListService> {
  return startListService(environment, join(import.meta.dirname, 'serve.ts'))
}

/** An update of columns that are no members is not sent. */
function selects({ types, events }: Subscription, { type, kind, members }: LoggedChange): boolean {
  return types.includes(type) && events.includes(kind) && (kind !== 'updated' || members.length > 0)
}

function toEvent({ headers, body }: Received, sequences: ReadonlyMap<string, number>): Arrival {
  const { type: event, timestamp, data } = JSON.parse(body)
  const { type, id, members } = data
  const kind = String(event).slice(`${type}.`.length)
  return { sequence: sequences.get(String(headers['webhook-id'])), type, id, kind, members, changedAt: timestamp }
}

function toCall({ body }: Received): Arrival {
  const { sequence, type, id, kind, members, changedAt } = JSON.parse(body)
  const shown = members.filter((member: string) => member !== 'secret')
  return { sequence: Number(sequence), type, id, kind, members: shown, changedAt }
}
