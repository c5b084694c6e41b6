import type { ReadRow } from '../driver-pipelined/row-reader.ts'

/** The part of a connection that knows its prepared statements by name. */
export interface PreparingWire {
  /** Texts by name that the server has confirmed. */
  readonly parsedStatements: Record<string, string>
  close(statement: { readonly type: 'S'; readonly name: string }): void
}

/** A statement that the server has under a name, or is about to have. */
export interface Prepared {
  /** Undefined before its rows are described. */
  read: ReadRow | undefined
  /** Executions the server has yet to answer. */
  inFlight: number
}

/**
 * The prepared statements of one server connection, least recently used first. Each costs the server memory for as long
 * as the connection lives, so the least recently used one is closed before another is prepared beyond the limit.
 */
export class PreparedStatements {
  readonly #statements = new Map<string, Prepared>()
  readonly #max: number

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /** Marks a statement as the most recently used one, with one more execution in flight. */
  use(name: string): Prepared {
    const statement = this.#statements.get(name) ?? { read: undefined, inFlight: 0 }
    statement.inFlight++
    this.#statements.delete(name)
    this.#statements.set(name, statement)
    return statement
  }

  forget(name: string): void {
    this.#statements.delete(name)
  }

  /** Closes statements until another one may be prepared. Returns false when all of them are in use. */
  makeRoom(wire: PreparingWire): boolean {
    for (const [name, { inFlight }] of this.#statements) {
      if (this.#statements.size < this.#max) break
      if (inFlight > 0) continue
      wire.close({ type: 'S', name })
      delete wire.parsedStatements[name]
      this.#statements.delete(name)
    }
    return this.#statements.size < this.#max
  }
}
