import { connect, type Socket } from 'node:net'
import { checkDocument } from '#test/support/document-rules.ts'

export interface RawHttpResponse {
  readonly status: number
  readonly head: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents without types
  readonly body: any
}

/** Sends raw bytes and reads until the server closes the connection. */
export async function sendBytes(url: string, ...bytes: readonly (string | Buffer)[]): Promise<RawHttpResponse[]> {
  const socket = open(url)
  for (const part of bytes) socket.write(part)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return responsesIn(Buffer.concat(chunks).toString('latin1'))
}

export function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}

/** Splits the text, whose characters are bytes, into responses by their Content-Length. */
function responsesIn(text: string): RawHttpResponse[] {
  const [head = ''] = text.split('\r\n\r\n', 1)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? []
  const [, length] = /^content-length: (\d+)/im.exec(head) ?? []
  if (!status || !length) return []
  const start = head.length + 4
  const body = JSON.parse(Buffer.from(text.slice(start, start + Number(length)), 'latin1').toString())
  const [, contentType = ''] = /content-type: (.+)/i.exec(head) ?? []
  checkDocument(body, Number(status), contentType.trim())
  return [{ status: Number(status), head, body }, ...responsesIn(text.slice(start + Number(length)))]
}
