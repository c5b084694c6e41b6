import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App, Server } from '#kernel/plugin'
import { StartupError } from '#store'

/** Fetches JSON from the application on a temporary port, without background work. */
export async function fetchJson(app: App, path: string): Promise<unknown> {
  const server = createServer(app.koa.callback()).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    if (!response.ok) throw new StartupError(`GET ${path} returned ${response.status}.`)
    return await response.json()
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Returns the path of a file on a server. Servers other than the default have their name as prefix. */
export function pathOnServer(app: App, name: string, file: string): string {
  return serverNamed(app, name).name === 'default' ? `/${file}` : `/${name}/${file}`
}

export function serverNamed(app: App, name: string): Server {
  const server = app.servers.find((one) => one.name === name)
  if (server) return server
  throw new StartupError(`Unknown server '${name}'. Servers: ${app.servers.map((one) => one.name).join(', ')}.`)
}
