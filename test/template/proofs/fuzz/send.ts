import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

export interface FuzzResponse {
  readonly status: number
  readonly contentType: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export type Send = (message: FuzzRequest) => Promise<FuzzResponse>

/** Sends exactly these headers, path and text, over keep-alive connections or each over a connection of its own. */
export function createSender(port: number, { keepAlive = true } = {}): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive, maxSockets: 8 })
  const send: Send = ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
      const sent = request({ port, host: '127.0.0.1', agent, method, path, headers: { ...length, ...headers } })
      sent.on('error', reject)
      sent.on('response', async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        })
      })
      sent.end(body)
    })
  return { send, close: () => agent.destroy() }
}
