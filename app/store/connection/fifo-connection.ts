import type { Dialect, Driver } from 'kysely'
import { noConnection } from '../errors/sql-errors.ts'

/** Something of which there is one: whoever wants it gets it in turn. */
export interface Turns {
  /** Fails after the time that was given. */
  take(): Promise<void>
  give(): void
}

export function createTurns(milliseconds: number): Turns {
  const waiting = new Set<() => void>()
  let isTaken = false
  return {
    async take() {
      if (!isTaken) {
        isTaken = true
        return
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.add(resolve)
      const timer = setTimeout(() => {
        waiting.delete(resolve)
        reject(new Error(noConnection))
      }, milliseconds)
      await promise.finally(() => clearTimeout(timer))
    },
    give() {
      const [next] = waiting
      if (next) waiting.delete(next)
      else isTaken = false
      next?.()
    },
  }
}

/** Kysely itself lets those who want its one connection wait without order, and for ever. */
export function takeTurns<D extends Dialect>(dialect: D, milliseconds: number): D {
  const createAdapter = dialect.createAdapter.bind(dialect)
  const createDriver = dialect.createDriver.bind(dialect)
  dialect.createAdapter = () => Object.defineProperty(createAdapter(), 'supportsMultipleConnections', { value: true })
  dialect.createDriver = () => inTurn(createDriver(), createTurns(milliseconds))
  return dialect
}

function inTurn(driver: Driver, turns: Turns): Driver {
  const acquire = driver.acquireConnection.bind(driver)
  const release = driver.releaseConnection.bind(driver)
  driver.acquireConnection = async (options) => {
    await turns.take()
    return acquire(options)
  }
  driver.releaseConnection = (connection, options) => release(connection, options).finally(turns.give)
  return driver
}
