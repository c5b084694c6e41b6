import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream'

const root = join(import.meta.dirname, '../..')
/** The sources that the pages load. */
const folders = ['/examples/browser/', '/examples/live/', '/clients/typescript/src/']
const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
}

export interface ExampleServer {
  readonly url: string
  readonly server: Server
}

/**
 * Serves a page, with the types removed from its sources, and forwards `/api` to the service. A front end with a bundler
 * has a proxy of its development server instead; one at another origin is listed in `CORS_ORIGINS` of the service.
 */
export async function startExample(service: string, port = 0, page = '/examples/browser/'): Promise<ExampleServer> {
  const server = createServer((incoming, outgoing) => {
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://localhost')
    if (pathname.startsWith('/api/')) forward(service + pathname.slice('/api'.length) + search, incoming, outgoing)
    else if (pathname === '/') outgoing.writeHead(302, { location: page }).end()
    else sendFile(pathname, outgoing).catch((error) => outgoing.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

async function sendFile(path: string, outgoing: ServerResponse): Promise<void> {
  const file = path.endsWith('/') ? `${path}index.html` : path
  const type = mediaTypes[extname(file)]
  const isServed = type !== undefined && folders.some((folder) => file.startsWith(folder))
  const source = isServed ? await readFile(join(root, file), 'utf8').catch(() => null) : null
  if (source === null) return void outgoing.writeHead(404).end()
  const content = extname(file) === '.ts' ? stripTypeScriptTypes(source) : source
  outgoing.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(content)
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const sent = request(target, { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
    pipeline(reply, outgoing, () => {}) // an error of one closes the other
  })
  sent.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
  outgoing.on('close', () => outgoing.writableFinished || sent.destroy())
  incoming.pipe(sent)
}
