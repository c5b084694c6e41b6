import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { mediaType } from '#test/support/client.ts'
import type { LoadResult } from './load-client.ts'
import { open } from './raw-http.ts'

export interface ConstantRate {
  readonly path: string
  readonly perSecond: number
  readonly seconds: number
  /** A connection that waits for a response sends nothing. */
  readonly connections: number
}

/**
 * Sends requests at a constant rate, independent of the response times. It shares the machine with the service, so it
 * does little work: it writes the same bytes for each request and parses only the head of a response.
 */
export async function sendAtConstantRate(
  url: string,
  { path, perSecond, seconds, connections }: ConstantRate,
): Promise<LoadResult[]> {
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: ${mediaType}\r\n\r\n`)
  const sockets = Array.from({ length: connections }, () => open(url))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const idle = sockets.map((socket) => requestSender(socket, bytes))
  const pending: Promise<LoadResult>[] = []
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  for (let due = 0; elapsed() < seconds * 1000; await setTimeout(1)) {
    for (; due < (elapsed() / 1000) * perSecond; due++) {
      const sendRequest = idle.shift()
      if (sendRequest) pending.push(sendRequest().finally(() => idle.push(sendRequest)))
    }
  }
  const results = await Promise.all(pending)
  for (const socket of sockets) socket.destroy()
  return results
}

/** Sends requests on one connection, one at a time. */
function requestSender(socket: Socket, bytes: Buffer): () => Promise<LoadResult> {
  let head = ''
  let missing = 0
  let startedAt = 0
  let pending: ReturnType<typeof Promise.withResolvers<LoadResult>>
  socket.on('close', () => pending?.reject(new Error('The connection is closed.')))
  socket.on('data', (chunk: Buffer) => {
    if (head === '') {
      const end = chunk.indexOf('\r\n\r\n')
      head = chunk.toString('latin1', 0, end)
      missing = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    }
    missing -= chunk.length
    if (missing > 0) return
    pending.resolve(toResult(head, performance.now() - startedAt))
    head = ''
  })
  return () => {
    pending = Promise.withResolvers()
    startedAt = performance.now()
    socket.write(bytes)
    return pending.promise
  }
}

function toResult(head: string, milliseconds: number): LoadResult {
  return {
    status: Number(head.slice(9, 12)),
    milliseconds,
    retryAfter: /\r\nretry-after: (\S+)/i.exec(head)?.[1],
    isLast: /\r\nconnection: close/i.test(head),
  }
}
