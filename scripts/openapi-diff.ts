import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fetchJson, pathOnServer } from './support/fetch-json.ts'
import { type Change, compareDocuments } from './support/openapi-changes.ts'
import { root, withApp } from './support/project.ts'

// npm run openapi:diff compares with the snapshots in docs/openapi, or in -- --folder; -- --write overwrites them.

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, folder: { type: 'string', default: 'docs/openapi' } },
})
const folder = resolve(root, values.folder)

/** Prints every change since the snapshots; exits with 1 if a change breaks clients. */
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
