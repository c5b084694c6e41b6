import type { Origin } from '#kernel/store'
import type { Peers } from '#store/connection/types.ts'
import type { LagWindow } from './lag-window.ts'

/** Read-your-writes: the WAL position of the latest write of each client, until every replica in use has replayed it. */
interface ReadYourWrites {
  /** Returns the position in the client's cookie, which may be forged; 0 without a cookie. */
  claimedBy(origin: Origin | undefined): bigint
  /** Returns the position a replica must have replayed to serve this client. */
  requiredBy(origin: Origin | undefined, claimed: bigint): bigint
  /** Whether a write of the client has an unknown position: only the primary certainly has it. */
  isPinned(origin: Origin | undefined): boolean
  /** `position`: null if it is unknown, which pins the client to the primary until the replicas in use have the write. */
  record(origin: Origin | undefined, position: bigint | null): void
}

/** Carries the position to the process that serves the next request, also on another host. */
const cookie = 'written'
/** In place of a position that is unknown. */
const unknown = 'primary'

/** The message about a write to the other processes on this host. */
type WriteMessage = readonly [position: string, ...clients: readonly string[]]

/** Keeps the positions in this process and its peers too, for clients without cookies. */
export function createReadYourWrites(
  lagWindow: LagWindow,
  seconds: number,
  peers?: Peers,
  now = () => performance.now(),
): ReadYourWrites {
  // Twice the allowed lag: after that every replica in use has replayed the write.
  const maxAge = seconds * 2_000
  const positions = new Map<string, bigint>()
  const pins = new Map<string, number>()
  const pin = (clients: readonly string[]) => {
    for (const [client, until] of pins) if (until <= now()) pins.delete(client)
    for (const client of clients) pins.set(client, now() + maxAge)
  }
  const setPositions = (clients: readonly string[], position: bigint) => {
    for (const client of clients) {
      positions.delete(client)
      positions.set(client, position)
    }
    evict(positions, lagWindow.position)
  }
  const store = (clients: readonly string[], position: string) => {
    if (position === unknown) pin(clients)
    else setPositions(clients, BigInt(position))
  }
  peers?.onMessage((message) => {
    const [position, ...clients] = message as WriteMessage
    store(clients, position)
  })
  return {
    claimedBy(origin) {
      const claimed = /^\d{1,20}$/.exec(origin?.request?.ctx.cookies.get(cookie) ?? '')
      return BigInt(claimed?.[0] ?? 0)
    },
    requiredBy(origin, claimed) {
      let required = max(claimed, lagWindow.position)
      for (const client of clientKeys(origin)) required = max(required, positions.get(client) ?? 0n)
      return required
    },
    isPinned(origin) {
      if (origin?.request?.ctx.cookies.get(cookie) === unknown) return true
      return pins.size > 0 && clientKeys(origin).some((client) => (pins.get(client) ?? 0) > now())
    },
    record(origin, position) {
      const clients = clientKeys(origin)
      const text = position === null ? unknown : String(position)
      store(clients, text)
      peers?.broadcast([text, ...clients] satisfies WriteMessage)
      const options = { httpOnly: true, sameSite: 'lax', maxAge, overwrite: true } as const
      origin?.request?.ctx.cookies.set(cookie, text, options)
    },
  }
}

/** Returns the keys that identify a client: its principal and its address; one key for calls of the program itself. */
export function clientKeys(origin: Origin | undefined): readonly string[] {
  const principal = origin?.principal ? [`principal ${origin.principal.identifier}`] : []
  return [...principal, origin?.request ? `address ${origin.request.ctx.ip}` : 'program']
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** Removes positions that every replica in use has replayed; the map is ordered by the time of the write. */
function evict(positions: Map<string, bigint>, replayed: bigint): void {
  for (const [client, position] of positions) {
    if (position > replayed) return
    positions.delete(client)
  }
}
