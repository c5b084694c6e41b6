import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { typesOfServer } from '#plugins/client-types/index.ts'
import { writeApiIndex } from './client/api-index.ts'
import { readArguments } from './support/arguments.ts'
import { serverNamed } from './support/fetch-json.ts'
import { withApp } from './support/project.ts'

const usage = `npm run client:types
npm run client:types -- --output ../front-end/src/api [--server admin]

Writes resources/api.ts, from which the types of clients/typescript follow. With --output, writes the types of a server for
a project without the sources instead: index.d.ts, and index.js with their hash.

  --output  the folder to write
  --server  the name of the server; default: default`

const { values } = readArguments({
  usage,
  options: { output: { type: 'string' }, server: { type: 'string', default: 'default' } },
})

const { output, server } = values
if (output === undefined) {
  writeApiIndex()
} else {
  await withApp(async (app) => {
    const { declarations, hash } = typesOfServer(app, serverNamed(app, server))
    mkdirSync(output, { recursive: true })
    writeFileSync(join(output, 'index.d.ts'), `// Written by npm run client:types.\n\n${declarations}`)
    writeFileSync(join(output, 'index.js'), `export const types = '${hash}'\n`)
  })
}
