import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App } from '#kernel/plugin'
import { StartupError } from '#store'

export async function fetchJson(app: App, path: string): Promise<unknown> {
  return JSON.parse(await fetchText(app, path))
}

/** Fetches a file from the application on a temporary port, without background work. */
export async function fetchText(app: App, path: string): Promise<string> {
  const server = createServer(app.koa.callback()).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    if (!response.ok) throw new StartupError(`GET ${path} returned ${response.status}.`)
    return await response.text()
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Returns the path of a file on a server. Servers other than the default have their name as prefix. */
export function pathOnServer(app: App, name: string, file: string): string {
  if (app.servers.some((server) => server.name === name)) return name === 'default' ? `/${file}` : `/${name}/${file}`
  throw new StartupError(`Unknown server '${name}'. Servers: ${app.servers.map((server) => server.name).join(', ')}.`)
}
