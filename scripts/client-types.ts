import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientTypes, documentToTypes, typesOfServer } from '#plugins/client-types/index.ts'
import { StartupError } from '#store'
import { writeApiIndex } from './client/api-index.ts'
import { readArguments } from './support/arguments.ts'
import { reportErrors, withApp } from './support/project.ts'

const usage = `npm run client:types
npm run client:types -- --output ../front-end/src/api [--server admin] [--document docs.json]

Writes resources/api.ts, from which the types of clients/typescript follow. With --output, writes the types of a server for
a project without the sources instead: index.d.ts, and index.js with their hash.

  --output    the folder to write
  --server    the name of the server; default: default
  --document  an OpenAPI document of the service: a file or a URL; default: that of the project`

const { values } = readArguments({
  usage,
  options: { output: { type: 'string' }, server: { type: 'string', default: 'default' }, document: { type: 'string' } },
})

type Document = Parameters<typeof documentToTypes>[0]

const { output, server, document: source } = values
if (output === undefined) {
  writeApiIndex()
} else if (source !== undefined) {
  await reportErrors(async () => writeTypes(output, documentToTypes(await readDocument(source))))
} else {
  await withApp((app) => {
    const found = app.servers.find(({ name }) => name === server)
    if (!found)
      throw new StartupError(`Unknown server '${server}'. Servers: ${app.servers.map(({ name }) => name).join(', ')}.`)
    writeTypes(output, typesOfServer(app, found))
  })
}

async function readDocument(from: string): Promise<Document> {
  const text = URL.canParse(from) ? await (await fetch(from)).text() : readFileSync(from, 'utf8')
  const document = JSON.parse(text) as Partial<Document>
  if (!document.paths || !document.components) throw new StartupError(`${from} is not an OpenAPI document.`)
  return document as Document
}

function writeTypes(folder: string, { declarations, hash }: ClientTypes): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.d.ts'), `// Written by npm run client:types.\n\n${declarations}`)
  writeFileSync(join(folder, 'index.js'), `export const types = '${hash}'\n`)
}
