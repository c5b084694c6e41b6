import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Linked, LinkedList } from './linked-list.ts'

export class Connection implements Linked<Connection> {
  previous: Connection | null = null
  next: Connection | null = null
  /** The response to the latest request; null before the first request. */
  response: ServerResponse | null = null
  /** The response to the request that is being served. Differs from `response` while pipelined requests wait. */
  served: ServerResponse | null = null
  /** The number of pipelined requests that wait for the response before them. */
  waiting = 0
  readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
  }
}

/** All open connections of a server. */
export class Connections {
  /** Without closed connections. */
  readonly bySocket = new WeakMap<Socket, Connection>()
  readonly #open = new LinkedList<Connection>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      const connection = new Connection(socket)
      this.#open.add(connection)
      this.bySocket.set(socket, connection)
      socket.once('close', () => {
        this.#open.delete(connection)
        this.bySocket.delete(socket)
      })
    })
  }

  /** Each connection with the response to its latest request. */
  *[Symbol.iterator](): Generator<readonly [Socket, ServerResponse | null]> {
    for (const { socket, response } of this.#open) yield [socket, response]
  }
}
