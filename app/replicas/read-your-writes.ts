import type { Requester } from '#kernel/store'
import type { Peers } from '#store/connection/types.ts'
import type { LagWindow } from './lag-window.ts'

/** Read-your-writes: the WAL position of the latest write of each client, until every replica in use has replayed it. */
interface ReadYourWrites {
  /** Returns the position in the client's cookie, which may be forged; 0 without a cookie. */
  claimedBy(requester: Requester | undefined): bigint
  /** Returns the position a replica must have replayed to serve this client. */
  requiredBy(requester: Requester | undefined, claimed: bigint): bigint
  /** Whether a write of the client has an unknown position: only the primary certainly has it. */
  isPinned(requester: Requester | undefined): boolean
  /** `position`: null if it is unknown, which pins the client to the primary until the replicas in use have the write. */
  record(requester: Requester | undefined, position: bigint | null): void
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
    claimedBy(requester) {
      const claimed = /^\d{1,20}$/.exec(requester?.request?.ctx.cookies.get(cookie) ?? '')
      return BigInt(claimed?.[0] ?? 0)
    },
    requiredBy(requester, claimed) {
      let required = max(claimed, lagWindow.position)
      for (const client of clientKeys(requester)) required = max(required, positions.get(client) ?? 0n)
      return required
    },
    isPinned(requester) {
      if (requester?.request?.ctx.cookies.get(cookie) === unknown) return true
      return pins.size > 0 && clientKeys(requester).some((client) => (pins.get(client) ?? 0) > now())
    },
    record(requester, position) {
      const clients = clientKeys(requester)
      const text = position === null ? unknown : String(position)
      store(clients, text)
      peers?.broadcast([text, ...clients] satisfies WriteMessage)
      const options = { httpOnly: true, sameSite: 'lax', maxAge, overwrite: true } as const
      requester?.request?.ctx.cookies.set(cookie, text, options)
    },
  }
}

/** Returns the keys that identify a client: its principal and its address; one key for calls of the program itself. */
export function clientKeys(requester: Requester | undefined): readonly string[] {
  const principal = requester?.principal ? [`principal ${requester.principal.identifier}`] : []
  return [...principal, requester?.request ? `address ${requester.request.ctx.ip}` : 'program']
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
