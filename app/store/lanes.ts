import { type Client, type Pool, type Setup, startClient } from './clients.ts'
import type { DirectQuery } from './database.ts'
import type { Answer } from './named-statement.ts'
import { isUnanswered } from './sql-errors.ts'
import { knownName, type Named } from './statement-names.ts'
import { noteStatement } from './statements.ts'

type Row = Record<string, unknown>

/** A connection on which statements follow each other without waiting for answers. */
interface Lane {
  /** None while it is on its way. */
  client: Client | undefined
  readonly opened: Promise<Client>
  inFlight: number
  /** When the server was last seen to go on, in milliseconds. */
  moved: number
  isBroken: boolean
  /** What is asked is not sent yet. */
  isGathering: boolean
}

/** Statements that may be under way on one connection. */
const depth = 16
/** Milliseconds after which nobody wants to stand behind a statement. */
const slow = 50

/**
 * A way to the rows beside MikroORM's, for reads outside of transactions. Statements that are known to be quick share
 * connections: when all are taken they are sent at once, behind others, instead of waiting for an answer to somebody
 * else. Half of the connections serve in this way, and only as long as nobody waits for one of his own.
 */
export function createLanes(pool: Pool, setup: Setup): DirectQuery {
  const connect = pool.connect.bind(pool)
  const max = Math.max(1, Math.floor(pool.options.max / 2))
  const lanes: Lane[] = []

  return (sql, values) => {
    const named = setup.named > 0 ? knownName(sql) : undefined
    if (!named || named.pace > slow || isWaitedFor(pool)) return alone(sql, values, named)
    const lane = choose()
    if (!lane) return alone(sql, values, named)
    noteStatement(sql, values)
    return ask(lane, named, values)
  }

  async function open(): Promise<Client> {
    const client = await connect()
    await startClient(client, setup)
    return client
  }

  /** The one with the least to do, and another one before any has more than one thing to do. */
  function choose(): Lane | undefined {
    let best: Lane | undefined
    const now = performance.now()
    for (const lane of lanes) {
      if (lane.inFlight === 0) return lane
      if (lane.inFlight >= depth || now - lane.moved > slow) continue
      if (!best || lane.inFlight < best.inFlight) best = lane
    }
    return lanes.length < max ? openLane(now) : best
  }

  function openLane(now: number): Lane {
    const lane: Lane = {
      client: undefined,
      opened: open(),
      inFlight: 0,
      moved: now,
      isBroken: false,
      isGathering: false,
    }
    lanes.push(lane)
    lane.opened.then(
      (client) => {
        lane.client = client
        lane.moved = performance.now()
      },
      () => remove(lane),
    )
    return lane
  }

  function ask(lane: Lane, named: Named, values: readonly unknown[]): Promise<Row[]> {
    lane.inFlight++
    if (lane.client) return send(lane, lane.client, named, values)
    return lane.opened.then((client) => send(lane, client, named, values))
  }

  function send(lane: Lane, client: Client, named: Named, values: readonly unknown[]): Promise<Row[]> {
    if (lane.inFlight === 1) lane.moved = performance.now()
    if (!lane.isGathering) {
      lane.isGathering = true
      client.connection.stream.cork()
      setImmediate(flush, lane, client)
    }
    return new Promise((resolve, reject) => {
      client.ask(named, values, (error, answer) => {
        settle(lane, client, named, error)
        if (error) reject(error)
        else resolve((answer as Answer).rows)
      })
    })
  }

  /** All that the events of this moment ask for goes to the server at once. */
  function flush(lane: Lane, client: Client): void {
    lane.isGathering = false
    client.connection.stream.uncork()
  }

  function settle(lane: Lane, client: Client, named: Named, error: unknown): void {
    const now = performance.now()
    named.pace += (now - lane.moved - named.pace) / 8
    lane.moved = now
    if (isUnanswered(error)) lane.isBroken = true
    if (--lane.inFlight === 0) setImmediate(giveBack, lane, client)
  }

  /** Whoever was answered just now often has another question. */
  function giveBack(lane: Lane, client: Client): void {
    if (lane.inFlight > 0 || !remove(lane)) return
    client.release(lane.isBroken)
  }

  function remove(lane: Lane): boolean {
    const index = lanes.indexOf(lane)
    if (index >= 0) lanes.splice(index, 1)
    return index >= 0
  }

  /** Whoever asks gives the connection back, whatever happens to it. */
  async function alone(sql: string, values: readonly unknown[], named?: Named): Promise<Row[]> {
    const client = await open()
    const began = performance.now()
    let hangs = false
    try {
      return (await client.query(sql, values)).rows
    } catch (error) {
      hangs = isUnanswered(error)
      throw error
    } finally {
      if (named) named.pace += (performance.now() - began - named.pace) / 8
      client.release(hangs)
    }
  }
}

/** Somebody waits who is not about to get one. */
function isWaitedFor({ waitingCount, idleCount, totalCount, options }: Pool): boolean {
  return waitingCount > idleCount && totalCount >= options.max
}
