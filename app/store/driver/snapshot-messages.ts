// perf: a snapshot begins in the message of its first statement and ends by a prebuilt message, without queries of pg.
import type { Connection, Submittable } from 'pg'
import { serialize } from 'pg-protocol'

export const beginSnapshot = 'begin isolation level repeatable read read only'

/** Begins a snapshot as a part of the message that executes the first statement: there is no Sync between them. */
export const beginMessages = Buffer.concat([
  serialize.parse({ name: '', text: beginSnapshot }),
  serialize.bind({}),
  serialize.execute(),
])

const endMessages = { commit: serialize.query('commit'), rollback: serialize.query('rollback') }

export class EndSnapshot implements Submittable {
  readonly text: 'commit' | 'rollback'
  /** pg replaces it if the client has a query_timeout. */
  callback: () => void

  constructor(text: 'commit' | 'rollback', callback: () => void) {
    this.text = text
    this.callback = callback
  }

  submit({ stream }: Connection): null {
    stream.write(endMessages[this.text])
    return null
  }

  handleReadyForQuery(): void {
    this.callback()
  }

  handleError(): void {
    this.callback()
  }

  handleCommandComplete(): void {}
}
