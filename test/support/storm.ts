import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { mediaType } from './client.ts'
import type { Shot } from './load.ts'
import { open } from './raw-http.ts'

export interface Storm {
  readonly path: string
  readonly perSecond: number
  readonly seconds: number
  /** Clients that wait for an answer send nothing meanwhile. */
  readonly connections: number
}

/**
 * Sends so many requests a second, however long the answers take. It shares the machine with the service, so it does
 * next to nothing: the same bytes are written again and again, and of an answer only the head is looked at.
 */
export async function storm(url: string, { path, perSecond, seconds, connections }: Storm): Promise<Shot[]> {
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: ${mediaType}\r\n\r\n`)
  const sockets = Array.from({ length: connections }, () => open(url))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const idle = sockets.map((socket) => asking(socket, bytes))
  const shots: Promise<Shot>[] = []
  const began = performance.now()
  const passed = () => performance.now() - began
  for (let due = 0; passed() < seconds * 1000; await setTimeout(1)) {
    for (; due < (passed() / 1000) * perSecond; due++) {
      const ask = idle.shift()
      if (ask) shots.push(ask().finally(() => idle.push(ask)))
    }
  }
  const answered = await Promise.all(shots)
  for (const socket of sockets) socket.destroy()
  return answered
}

/** Asks on one connection, once at a time. */
function asking(socket: Socket, bytes: Buffer): () => Promise<Shot> {
  let head = ''
  let missing = 0
  let began = 0
  let settle: ReturnType<typeof Promise.withResolvers<Shot>>
  socket.on('close', () => settle?.reject(new Error('The connection is closed.')))
  socket.on('data', (chunk: Buffer) => {
    if (head === '') {
      const end = chunk.indexOf('\r\n\r\n')
      head = chunk.toString('latin1', 0, end)
      missing = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    }
    missing -= chunk.length
    if (missing > 0) return
    settle.resolve(toShot(head, performance.now() - began))
    head = ''
  })
  return () => {
    settle = Promise.withResolvers()
    began = performance.now()
    socket.write(bytes)
    return settle.promise
  }
}

function toShot(head: string, milliseconds: number): Shot {
  return {
    status: Number(head.slice(9, 12)),
    milliseconds,
    retryAfter: /\r\nretry-after: (\S+)/i.exec(head)?.[1],
    isLast: /\r\nconnection: close/i.test(head),
  }
}
