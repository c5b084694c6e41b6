import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { DrainLimits } from '#kernel/store'

/** Every connection, with the answer to its latest request; null before the first. */
export type Answers = Map<Socket, ServerResponse | null>

const connections = new WeakMap<Server, Answers>()

/** How long a connection that was made before the stop has to send its first request. */
const lastMoment = 1_000

/** Remembers what `drain` needs to know; whoever takes requests notes their answers. */
export function watchConnections(server: Server, answers: Answers): void {
  connections.set(server, answers)
  server.on('connection', (socket) => {
    answers.set(socket, null)
    socket.once('close', () => answers.delete(socket))
  })
}

/** Every answer from now on is the last of its connection; then the port is closed, and what is under way is waited for. */
export async function drain(server: Server, { delay, limit }: DrainLimits): Promise<void> {
  const answers = connections.get(server) ?? new Map()
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'))
  for (const response of answers.values())
    if (response && !response.headersSent) response.setHeader('Connection', 'close')
  if (delay > 0) await setTimeout(delay)
  await silence(server, limit)

  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // Whoever was told nothing is idle as soon as the answer is there.
  for (const response of answers.values()) response?.once('close', () => server.closeIdleConnections())
  await within(Math.min(lastMoment, limit), closed)
  await setImmediate()
  // Node takes a connection for busy on which nothing has arrived yet.
  for (const [socket, response] of answers) if (!response) socket.destroy()
  await within(limit, closed)
  server.closeAllConnections()
}

/** A busy process has not yet seen all that has come: whoever is connected already is still let in, and read. */
async function silence(server: Server, limit: number): Promise<void> {
  const until = performance.now() + limit
  let arrived = true
  const hear = () => {
    arrived = true
  }
  server.on('connection', hear).on('request', hear)
  while (arrived && performance.now() < until) {
    arrived = false
    await setImmediate()
  }
  server.off('connection', hear).off('request', hear)
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  await Promise.race([work, setTimeout(milliseconds, undefined, { ref: false })])
}
