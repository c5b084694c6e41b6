import type { Origin } from '#kernel/store'
import type { Peers } from '../connection/types.ts'
import type { Horizon } from './lag-window.ts'

/** Where the log was after the latest write of each client, until all replicas that are asked have come so far. */
export interface LatestWrites {
  /** The position in the client's cookie, which it may have forged; 0 without one. */
  claimedBy(origin: Origin | undefined): bigint
  /** What a replica must have seen to be asked by this client; `claimed` is a position of the log, or 0. */
  neededBy(origin: Origin | undefined, claimed: bigint): bigint
  note(origin: Origin | undefined, position: bigint): void
}

/** Names the position to the process that is asked next, which may be another one, on another host. */
const cookie = 'written'

/** What processes tell each other. */
type Told = readonly [position: string, ...names: readonly string[]]

/** Remembered here as well, and told to other processes of the service, for clients that keep no cookies. */
export function createLatestWrites(horizon: Horizon, seconds: number, peers?: Peers): LatestWrites {
  const positions = new Map<string, bigint>()
  const remember = (names: readonly string[], position: bigint) => {
    for (const name of names) {
      positions.delete(name)
      positions.set(name, position)
    }
    forget(positions, horizon.position)
  }
  peers?.hear((said) => {
    const [position, ...names] = said as Told
    remember(names, BigInt(position))
  })
  return {
    claimedBy(origin) {
      const claimed = /^\d{1,20}$/.exec(origin?.request?.ctx.cookies.get(cookie) ?? '')
      return BigInt(claimed?.[0] ?? 0)
    },
    neededBy(origin, claimed) {
      let needed = claimed
      for (const name of namesOf(origin)) needed = later(needed, positions.get(name) ?? 0n)
      return later(needed, horizon.position)
    },
    note(origin, position) {
      const names = namesOf(origin)
      remember(names, position)
      peers?.tell([String(position), ...names] satisfies Told)
      // Twice as long as a replica may be behind: by then the position is of no interest to anybody.
      const options = { httpOnly: true, sameSite: 'lax', maxAge: seconds * 2_000, overwrite: true } as const
      origin?.request?.ctx.cookies.set(cookie, String(position), options)
    },
  }
}

/** By what a client is known: as a principal, and by its address; the program itself is one, too. */
export function namesOf(origin: Origin | undefined): readonly string[] {
  const principal = origin?.principal ? [`principal ${origin.principal.identifier}`] : []
  return [...principal, origin?.request ? `address ${origin.request.ctx.ip}` : 'program']
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** The oldest stand first. */
function forget(positions: Map<string, bigint>, passed: bigint): void {
  for (const [name, position] of positions) {
    if (position > passed) return
    positions.delete(name)
  }
}
