import type { Origin } from '#kernel'
import type { Horizon } from './horizon.ts'

/** Where the log was after the latest write of each client, until all replicas that are asked have come so far. */
export interface LatestWrites {
  /** What a replica must have seen to be asked by this client. */
  neededBy(origin: Origin | undefined): bigint
  note(origin: Origin | undefined, position: bigint): void
}

/** Names the position to the process that is asked next, which may be another one, on another host. */
const cookie = 'written'

/** Remembered here as well, for clients that keep no cookies. */
export function createLatestWrites(horizon: Horizon, seconds: number): LatestWrites {
  const positions = new Map<string, bigint>()
  return {
    neededBy(origin) {
      const told = /^\d{1,20}$/.exec(origin?.request?.ctx.cookies.get(cookie) ?? '')
      let needed = BigInt(told?.[0] ?? 0)
      for (const name of namesOf(origin)) needed = later(needed, positions.get(name) ?? 0n)
      return later(needed, horizon.position)
    },
    note(origin, position) {
      for (const name of namesOf(origin)) {
        positions.delete(name)
        positions.set(name, position)
      }
      forget(positions, horizon.position)
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
