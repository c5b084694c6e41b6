import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { serveSite } from './docs/serve.ts'
import { buildSite } from './docs/site.ts'
import { readArguments, readInteger } from './support/arguments.ts'
import { root } from './support/root.ts'

const usage = `npm run docs -- serve [--port n] [--build [--path /docs]]

Serves the documentation as a site with search, on a free port of this machine, until Ctrl-C.

  --port n   the port
  --build    writes the site to .site/ and exits
  --path     the path of the written site on its host, for the links of 404.html; default: /`

const {
  port = '0',
  build = false,
  path = '/',
} = readArguments({
  usage,
  options: { port: { type: 'string' }, build: { type: 'boolean' }, path: { type: 'string' } },
}).values
const portNumber = readInteger('port', port, usage)

if (build) {
  const site = buildSite(root, new URL(path, 'http://host/').pathname.replace(/\/+$/, ''))
  rmSync(join(root, '.site'), { recursive: true, force: true })
  for (const [file, content] of site) {
    mkdirSync(dirname(join(root, '.site', file)), { recursive: true })
    writeFileSync(join(root, '.site', file), content)
  }
  console.log(`${site.size} files are written to .site/. The first page is .site/docs/index.html.`)
} else {
  const server = await serveSite(() => buildSite(root), portNumber)
  console.log(`The documentation is at http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/index.html`)
}
