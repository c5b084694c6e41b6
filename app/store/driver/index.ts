// The driver of PostgreSQL servers: a connection pool with prepared statements, pipelining, cancel requests and limits. It
// depends neither on the store nor on MikroORM.

import type { Clock } from '#kernel/store'
import type { Pool, PoolOptions } from './contract.ts'

export { encodeArray } from './array-literal.ts'
export type * from './contract.ts'
export { hasChangedPlan, nulCharacterError, ResultTooLarge } from './driver-errors.ts'
export { maskLiterals } from './mask-literals.ts'

/** Opens a connection pool, without a connection. Loads `pg`, which the embedded database does not need. */
export async function openPool(options: PoolOptions, clock?: Clock): Promise<Pool> {
  const { PipelinedPool } = await import('./pipelined-pool.ts')
  return new PipelinedPool(options, clock)
}
