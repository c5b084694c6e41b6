import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP proxy that forwards every request and loses some of the responses. */
export interface LossyProxy {
  readonly url: string
  /** The URL of the service; requests lose their connection while it does not listen. */
  target: string
  /** The number of responses that were lost. */
  readonly lost: number
  close(): Promise<void>
}

/** Starts the proxy. `isLost` decides for each response of the service, after it has arrived completely. */
export async function startLossyProxy(target: string, isLost: () => boolean): Promise<LossyProxy> {
  const state = { target, lost: 0 }
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, state.target, () => {
      const isDropped = isLost()
      if (isDropped) state.lost++
      return isDropped
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: string, isLost: () => boolean): void {
  const { method, url, headers } = incoming
  const lose = () => outgoing.destroy()
  const sent = request(
    target + url,
    { method, headers: { ...headers, connection: 'close' }, agent: false },
    (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('error', lose)
      reply.on('end', () => {
        if (isLost()) return lose()
        const { connection: _, 'transfer-encoding': _coding, ...kept } = reply.headers
        outgoing.writeHead(reply.statusCode as number, kept)
        outgoing.end(Buffer.concat(chunks))
      })
    },
  )
  sent.on('error', lose)
  incoming.pipe(sent)
}
