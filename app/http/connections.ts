import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Linked, LinkedList } from './linked-list.ts'

class Connection implements Linked<Connection> {
  previous: Connection | null = null
  next: Connection | null = null
  /** The response to the latest request; null before the first request. */
  response: ServerResponse | null = null
  readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
  }
}

/** All open connections of a server, each with the response to its latest request. */
export class Connections {
  readonly #open = new LinkedList<Connection>()
  readonly #bySocket = new WeakMap<Socket, Connection>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      const connection = new Connection(socket)
      this.#open.add(connection)
      this.#bySocket.set(socket, connection)
      socket.once('close', () => {
        this.#open.delete(connection)
        this.#bySocket.delete(socket)
      })
    })
    server.on('request', ({ socket }, response) => {
      const connection = this.#bySocket.get(socket)
      if (connection) connection.response = response
    })
  }

  /** The response to the latest request of an open connection. Null before the first request. */
  responseOf(socket: Socket): ServerResponse | null {
    return this.#bySocket.get(socket)?.response ?? null
  }

  *[Symbol.iterator](): Generator<readonly [Socket, ServerResponse | null]> {
    for (const { socket, response } of this.#open) yield [socket, response]
  }
}
