import { AsyncLocalStorage } from 'node:async_hooks'
import type { Orm } from '../connection/types.ts'
import type { DirectConnection } from '../unit.ts'

/** The connection of one read. Reads that its hooks and providers start inside it join it. */
export interface ReadConnection extends DirectConnection {
  readonly orm: Orm
  /** Whether the read is finished, so that no other can join it. */
  readonly isOver: boolean
  /** Releases the connection before a write or a statement outside of the read, which needs a connection of its own. */
  releaseConnection(): Promise<void>
}

/** The connection of the read that the current code is a part of. */
export const currentConnection = new AsyncLocalStorage<ReadConnection>()

/** Returns the connection of the read that the caller is a part of. Undefined outside of a read of this database. */
export function currentRead(orm: Orm): ReadConnection | undefined {
  const connection = currentConnection.getStore()
  return connection && !connection.isOver && connection.orm === orm ? connection : undefined
}
