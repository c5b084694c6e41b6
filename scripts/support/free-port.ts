import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Ports below those that systems give to connections and to servers without a port of their own. */
const first = 10_000
const last = 32_000

/** Returns a free port, which no connection of another process takes before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first))
    const probe = createServer()
    if (await canListen(probe, port)) return port
  }
}

async function canListen(probe: Server, port: number): Promise<boolean> {
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
