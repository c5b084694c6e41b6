import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Client } from 'pg'

/** Undocumented members of `pg`'s client, see docs/internals/private-parts.md. */
interface BackendKey {
  readonly processID: number | null
  readonly secretKey: number | null
}

const cancelRequest = 80_877_102
const tlsRequest = 80_877_103
/** Milliseconds after which an unanswered cancel request is dropped. */
const timeout = 5_000

/**
 * Cancels the statement that runs on a connection, by a cancel request of the protocol on a socket of its own. It needs no
 * connection of the pool, all of which may be in use, and works behind a connection pooler, unlike `pg_cancel_backend`.
 * Resolves when the server has processed the request or cannot be reached. The connection must not be reused before:
 * the request would cancel the next statement.
 */
export async function cancelStatement(client: Client): Promise<void> {
  const { processID, secretKey } = client as unknown as BackendKey
  if (processID === null || secretKey === null) return
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const { host, port, ssl } = client
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  const send = (target: Socket) => target.end(int32s(16, cancelRequest, processID, secretKey))
  socket.on('error', () => {})
  socket.once('close', resolve)
  socket.setTimeout(timeout, () => socket.destroy())
  socket.once('connect', () => {
    if (ssl) startTls(socket, host, ssl as boolean | ConnectionOptions, send)
    else send(socket)
  })
  // The server answers by closing the connection, which is noticed only while the socket is read.
  socket.resume()
  return closed
}

function startTls(
  socket: Socket,
  host: string,
  ssl: boolean | ConnectionOptions,
  ready: (socket: Socket) => void,
): void {
  socket.once('data', (answer) => {
    if (String(answer) !== 'S') return void socket.destroy()
    const options = typeof ssl === 'object' ? { ...ssl, ...(ssl.key && { key: ssl.key }) } : {} // pg hides the key
    const servername = isIP(host) ? {} : { servername: host }
    const secure = connectTls({ ...servername, ...options, socket }, () => ready(secure))
    secure.on('error', () => socket.destroy())
    secure.resume()
  })
  socket.write(int32s(8, tlsRequest))
}

function int32s(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, 4 * index)
  return bytes
}
