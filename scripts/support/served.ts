import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App } from '#kernel/plugin'
import { StartupError } from '#store'

/** JSON as the application serves it, without its port being open or its work beside requests begun. */
export async function servedBy(app: App, path: string): Promise<unknown> {
  const server = createServer(app.koa.callback()).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    if (!response.ok) throw new StartupError(`${path} is not served: ${response.status}.`)
    return await response.json()
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** The path of what is served beside a server; named servers have theirs under their name. */
export function pathBeside(app: App, name: string, file: string): string {
  if (app.servers.some((server) => server.name === name)) return name === 'default' ? `/${file}` : `/${name}/${file}`
  throw new StartupError(
    `There is no server called '${name}'; there are ${app.servers.map((one) => one.name).join(', ')}.`,
  )
}
