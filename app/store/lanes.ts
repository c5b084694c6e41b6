import { askOnce, type Client, type Pool, type Setup, startClient } from './clients.ts'
import type { DirectQuery } from './database.ts'
import { Lane } from './lane.ts'
import { knownName, type Named } from './statement-names.ts'
import { noteStatement } from './statements.ts'

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
  const lanes = new Set<Lane>()

  return (sql, values) => {
    const named = setup.named > 0 ? knownName(sql) : undefined
    const lane = named && named.pace < slow && !isWaitedFor(pool) ? choose() : undefined
    if (!named || !lane) return alone(sql, values, named)
    noteStatement(sql, values)
    return lane.ask(named, values)
  }

  /** The one with the least to do; before any has two things to do, another one. */
  function choose(): Lane | undefined {
    let best: Lane | undefined
    const now = performance.now()
    for (const lane of lanes) {
      if (lane.inFlight === 0) return lane
      if (lane.inFlight >= depth || now - lane.moved > slow) continue
      if (!best || lane.inFlight < best.inFlight) best = lane
    }
    return lanes.size < max ? openLane() : best
  }

  function openLane(): Lane {
    const lane: Lane = new Lane(open(), () => lanes.delete(lane))
    lanes.add(lane)
    return lane
  }

  async function open(): Promise<Client> {
    const client = await connect()
    await startClient(client, setup)
    return client
  }

  async function alone(sql: string, values: readonly unknown[], named?: Named) {
    const client = await open()
    const began = performance.now()
    try {
      return await askOnce(client, sql, values)
    } finally {
      named?.note(performance.now() - began)
    }
  }
}

/** Somebody waits for a connection who is not about to get one. */
function isWaitedFor({ waitingCount, idleCount, totalCount, options }: Pool): boolean {
  return waitingCount > idleCount && totalCount >= options.max
}
