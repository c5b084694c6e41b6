import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { reportTemplateErrors, TemplateError } from './manifest/git.ts'
import { hashFiles, readManifest } from './manifest/manifest.ts'
import { readOwnership } from './manifest/ownership.ts'
import { readArguments } from './support/arguments.ts'
import { root } from './support/root.ts'

const usage = `npm run update -- status [-- --project <folder>]

Lists the files of the template that this project has edited or deleted, by the hashes of .template/manifest.json.`

const { values } = readArguments({ usage, options: { project: { type: 'string', default: root } } })

await reportTemplateErrors(() => {
  const { project } = values
  const manifest = readManifest(project)
  if (!manifest) throw new TemplateError('The project has no .template/manifest.json; npm run update writes it.')
  const files = Object.keys(manifest.files).filter(readOwnership(project))
  const [present = [], deleted = []] = partition(files, (file) => existsSync(join(project, file)))
  const hashes = hashFiles(project, present)
  const edited = present.filter((file) => hashes[file] !== manifest.files[file])
  const commit = manifest.commit ? ` (${manifest.commit.slice(0, 7)})` : ''
  console.log(`Based on version ${manifest.version}${commit} of the template: ${files.length} files.`)
  for (const file of edited) console.log(`edited   ${file}`)
  for (const file of deleted) console.log(`deleted  ${file}`)
  console.log(`${edited.length} edited, ${deleted.length} deleted.`)
})

function partition(files: readonly string[], isFirst: (file: string) => boolean): [string[], string[]] {
  return [files.filter(isFirst), files.filter((file) => !isFirst(file))]
}
