import type { Client } from './session.ts'

/** Said by whoever lets a statement take as long as it wants. */
export const unlimited = 'set local statement_timeout to 0'

/**
 * A server that hangs, and a network that swallows what is sent, end no statement, and no limit of the server holds then:
 * a connection that says nothing for so many milliseconds, while it should, is given up.
 */
export function giveUpWhenSilent(client: Client, milliseconds: number): void {
  const { stream } = client.connection
  stream.setTimeout(milliseconds)
  stream.on('timeout', () => {
    if (!client.readyForQuery) stream.destroy()
  })
}
