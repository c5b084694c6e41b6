import type { Deadline } from '#kernel/store'
import type { DirectQuery } from '../connection/types.ts'
import { knownName, type Named } from '../driver/prepared-names.ts'
import { askOnce, type Client, type Pool, type Setup, startClient } from '../driver/session.ts'
import { noteStatement } from '../driver/statement-log.ts'
import { Lane } from './pipelined-connection.ts'

/** Statements that may be under way on one connection. */
const depth = 16
/** Milliseconds after which nobody wants to stand behind a statement. */
const slow = 50
/** Milliseconds for which a connection is kept that nobody uses. */
const linger = 20

export interface Lanes {
  readonly query: DirectQuery
  /** Connections that are kept, and have nothing to do. */
  readonly idleCount: number
}

/**
 * A way to the rows beside MikroORM's, for reads outside of transactions. Statements that are known to be quick share
 * connections: when all are taken they are sent at once, behind others, instead of waiting for an answer to somebody
 * else. Half of the connections serve in this way, and only as long as nobody waits for one of his own.
 */
export function createLanes(pool: Pool, setup: Setup): Lanes {
  const max = Math.max(1, Math.floor(pool.options.max / 2))
  const lanes: Lane[] = []
  const isWanted = () => isWaitedFor(pool)
  /** The one that was last found to have nothing to do. */
  let latest: Lane | undefined
  let sweeping: NodeJS.Timeout | undefined
  beforeWaiting(pool, () => giveBack((lane) => lane.inFlight === 0 && isWanted()))
  const { connect } = pool

  return {
    query(sql, values, deadline) {
      const named = setup.named > 0 ? knownName(sql) : undefined
      const lane = named && named.pace < slow && !isWanted() ? choose() : undefined
      if (!named || !lane) return alone(sql, values, named, deadline)
      noteStatement(sql, values)
      return lane.ask(named, values)
    },
    get idleCount() {
      return lanes.filter((lane) => lane.inFlight === 0).length
    },
  }

  /**
   * The same one for two statements that are asked in one go; one with nothing to do; before any has more to do, another
   * one; else that with the least to do.
   */
  function choose(): Lane | undefined {
    if (latest?.isFresh && latest.inFlight === 1) return latest
    latest = lanes.find((lane) => lane.inFlight === 0)
    if (latest) return latest
    if (lanes.length < max) return openLane()
    let best: Lane | undefined
    const now = performance.now()
    for (const lane of lanes) {
      if (lane.inFlight >= depth || now - lane.moved > slow) continue
      if (!best || lane.inFlight < best.inFlight) best = lane
    }
    return best
  }

  function openLane(): Lane {
    const lane = new Lane(open(), isWanted, leave)
    lanes.push(lane)
    sweeping ??= setInterval(sweep, linger).unref()
    return lane
  }

  function leave(lane: Lane): void {
    const index = lanes.indexOf(lane)
    if (index >= 0) lanes.splice(index, 1)
    if (lanes.length > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  function sweep(): void {
    const longAgo = performance.now() - linger
    giveBack((lane) => lane.inFlight === 0 && lane.moved < longAgo)
  }

  function giveBack(which: (lane: Lane) => boolean): void {
    for (const lane of [...lanes]) if (which(lane)) lane.giveBack()
  }

  async function open(): Promise<Client> {
    const client = await connect()
    await startClient(client, setup)
    return client
  }

  async function alone(sql: string, values: readonly unknown[], named?: Named, deadline?: Deadline | null) {
    const client = await open()
    const began = performance.now()
    try {
      return await askOnce(client, sql, values, deadline)
    } finally {
      named?.note(performance.now() - began)
    }
  }
}

/** Whoever wants a connection of his own, or all of them closed, does not wait for what nobody uses. */
function beforeWaiting(pool: Pool, makeRoom: () => void): void {
  const connect = pool.connect.bind(pool)
  const end = pool.end.bind(pool)
  pool.connect = () => {
    const connected = connect()
    makeRoom()
    return connected
  }
  pool.end = () => {
    const ended = end()
    makeRoom()
    return ended
  }
}

/** All shall be closed, or somebody waits for a connection who is not about to get one. */
function isWaitedFor({ ending, waitingCount, idleCount, totalCount, options }: Pool): boolean {
  return ending || (waitingCount > idleCount && totalCount >= options.max)
}
