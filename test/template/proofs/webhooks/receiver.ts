import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { RandomSource } from '#test/conformance/random.ts'

/** A request that has arrived, in the order of arrival. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver of webhooks and of calls of a listener. */
export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Whether some requests are delayed, refused, or end without a response. */
  isFaulty: boolean
  /** Refuses connections, and cuts those that are open. */
  goDown(): Promise<void>
  /** Accepts connections on the same port again. */
  comeBack(): Promise<void>
}

export async function startReceiver(random: RandomSource): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const arrived = { path: request.url ?? '', headers: request.headers, body: '' }
    const body = await text(request).catch(() => null)
    if (body === null) return // the sender was killed
    received.push({ ...arrived, body })
    if (!receiver.isFaulty) return response.writeHead(204).end()
    await setTimeout(random.below(40))
    const fate = random.below(100)
    if (fate < 3) return request.socket.destroy() // the sender does not know that the event has arrived
    const status = fate < 6 ? 503 : fate < 8 ? 302 : 204
    response.writeHead(status, { location: `${receiver.url}/redirected` }).end()
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    isFaulty: false,
    async goDown() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    comeBack: () => listen(port),
  }
  return receiver
}
