import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readArguments } from './support/arguments.ts'
import { fetchJson, pathOnServer } from './support/fetch-json.ts'
import { type Change, compareDocuments } from './support/openapi-changes.ts'
import { root, withApp } from './support/project.ts'

const usage = `npm run openapi -- diff [--write] [--folder path]

Prints every change of the OpenAPI documents since their snapshots; exits with 1 if a change breaks clients.

  --write   overwrite the snapshots instead
  --folder  the folder of the snapshots; default: docs/openapi`

const { values } = readArguments({
  usage,
  options: { write: { type: 'boolean', default: false }, folder: { type: 'string', default: 'docs/openapi' } },
})
const folder = resolve(root, values.folder)

await withApp(async (app) => {
  mkdirSync(folder, { recursive: true })
  for (const { name } of app.servers) {
    const document = (await fetchJson(app, pathOnServer(app, name, 'docs.json'))) as object
    const file = resolve(folder, `${name}.json`)
    if (values.write) {
      writeFileSync(file, `${JSON.stringify(document, null, 1)}\n`)
      continue
    }
    const changes = existsSync(file)
      ? compareDocuments(JSON.parse(readFileSync(file, 'utf8')), document)
      : [{ location: name, message: 'There is no snapshot; write one with -- --write.', isBreaking: true }]
    report(name, changes)
    if (changes.some(({ isBreaking }) => isBreaking)) process.exitCode = 1
  }
})

function report(server: string, changes: readonly Change[]): void {
  if (changes.length === 0) console.log(`${server}: no changes.`)
  for (const { location, message, isBreaking } of changes) {
    console.log(`${server}: ${isBreaking ? 'BREAKING ' : ''}${location}: ${message}`)
  }
}
