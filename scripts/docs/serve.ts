import { createServer, type Server } from 'node:http'
import { extname } from 'node:path'
import { notFoundPath } from './layout.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves the site on this machine. Builds it again for every page, so that a reload shows an edited file. */
export function serveSite(build: () => Map<string, string>, port: number): Promise<Server> {
  let site = build()
  const server = createServer((request, response) => {
    const path = decodePath(request.url ?? '/')
    if (path.endsWith('.html')) site = build()
    const content = site.get(path)
    const type = content === undefined ? types['.html'] : types[extname(path)]
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': type ?? 'text/plain' })
    response.end(content ?? site.get(notFoundPath))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function decodePath(url: string): string {
  const [path = ''] = url.slice(1).split(/[?#]/)
  return path === '' || path.endsWith('/') ? `${path}index.html` : path
}
