import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { serveSite } from './docs/serve.ts'
import { buildSite } from './docs/site.ts'
import { readArguments, readInteger } from './support/arguments.ts'
import { root } from './support/root.ts'

const usage = `npm run docs -- serve [--port n] [--build]

Serves the documentation as a site with search, on a free port of this machine, until Ctrl-C.

  --port n   the port
  --build    writes the site to .site/ and exits`

const { port = '0', build = false } = readArguments({
  usage,
  options: { port: { type: 'string' }, build: { type: 'boolean' } },
}).values
const portNumber = readInteger('port', port, usage)

if (build) {
  const site = buildSite(root)
  rmSync(join(root, '.site'), { recursive: true, force: true })
  for (const [path, content] of site) {
    mkdirSync(dirname(join(root, '.site', path)), { recursive: true })
    writeFileSync(join(root, '.site', path), content)
  }
  console.log(`${site.size} files are written to .site/. The first page is .site/docs/index.html.`)
} else {
  const server = await serveSite(() => buildSite(root), portNumber)
  console.log(`The documentation is at http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/index.html`)
}
