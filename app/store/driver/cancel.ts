import pg from 'pg'

/** A connection of `pg`, as far as a cancel request needs it. */
export interface Cancellable {
  readonly host: string
  readonly port: number
  readonly ssl: unknown
  readonly processID: number | null
  readonly secretKey: number | null
}

/** The members of `pg`'s connection that its types do not list. */
interface CancelConnection {
  readonly stream: { setTimeout(milliseconds: number, callback: () => void): void; destroy(): void }
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number | null, secretKey: number | null): void
  once(event: 'connect' | 'sslconnect' | 'end', listener: () => void): void
  on(event: 'error', listener: () => void): void
}

const Connection = pg.Connection as unknown as new (config: { readonly ssl: unknown }) => CancelConnection

/** Milliseconds a server has to take a cancel request. */
const patience = 5_000

/**
 * Cancels the statement that runs on a connection, by a cancel request of the protocol: it needs no connection of the
 * pool, all of which may be in use. Resolves when the server has processed the request or cannot be reached; the
 * connection must not be given to others before, because the request would cancel their statements.
 */
export function cancelStatement({ host, port, ssl, processID, secretKey }: Cancellable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const connection = new Connection({ ssl })
  const send = () => connection.cancel(processID, secretKey)
  connection.on('error', resolve)
  connection.once('end', resolve)
  connection.once('connect', () => (ssl ? connection.requestSsl() : send()))
  connection.once('sslconnect', send)
  connection.stream.setTimeout(patience, () => connection.stream.destroy())
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
  return promise
}
