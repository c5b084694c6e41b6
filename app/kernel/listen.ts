import type { Server as HttpServer } from 'node:http'
import type Koa from 'koa'

/** Takes requests at a port; port 0 is any free one. */
export function listen(koa: Koa, port: number, host: string): Promise<HttpServer> {
  return new Promise((resolve, reject) => {
    const server = koa.listen(port, host, () => resolve(server))
    server.once('error', reject)
  })
}
