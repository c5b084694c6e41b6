import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '#kernel/plugin'
import { writeApiIndex } from './client/api-index.ts'
import { readArguments } from './support/arguments.ts'
import { fetchText, pathOnServer } from './support/fetch-json.ts'
import { withApp } from './support/project.ts'

const usage = `npm run make -- types
npm run make -- types --output ../front-end/src/api [--server admin]

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
  const write = async (app: App) => {
    const text = await fetchText(app, pathOnServer(app, server, 'client-types.d.ts'))
    // The ETag of a compressed response is not the hash.
    const [, hash] = /^export declare const types: '(.+)'$/m.exec(text) ?? []
    mkdirSync(output, { recursive: true })
    writeFileSync(join(output, 'index.d.ts'), `// Written by npm run make -- types.\n\n${text}`)
    writeFileSync(join(output, 'index.js'), `export const types = '${hash}'\n`)
  }
  await withApp(write, { isOpen: true })
}
