import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { StartupError } from '#store'
import { showExample } from './demo/edits.ts'
import { demoParts, example } from './demo/parts.ts'
import { planRemoval, type Removal, writeRemoval } from './demo/removal.ts'
import { readArguments } from './support/arguments.ts'
import { checkCommitted } from './support/committed.ts'
import { reportErrors, root } from './support/project.ts'
import { runScript } from './support/run-script.ts'

const usage = `npm run demo:remove -- [--dry-run] [--force]

Removes the demo: its resources, the tests that use it, and this command. Generates resources/notes, a small resource that
README.md shows, unless the folder exists.

  --dry-run  list the files instead of removing them
  --force    accept uncommitted changes`

const { values } = readArguments({ usage, options: { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } })

const folder = `resources/${example[0]}`
const aboutExample = `${folder} is an example, which README.md shows. When you have a resource of your own, delete the folder
and the section 'One resource' of README.md, then run npm run make -- types and npm run openapi -- diff --write.`

await reportErrors(async () => {
  const { 'dry-run': isDryRun, force } = values
  const removal = planRemoval(root)
  const hasExample = existsSync(join(root, folder, 'resource.ts'))
  checkOwnUses(removal)
  if (isDryRun) return list(removal, hasExample)
  if (!force) checkCommitted(root)
  if (!(await isConfirmed(removal.gone.size))) return

  writeRemoval(root, removal)
  if (hasExample) runScript(root, 'make-types.ts')
  else runScript(root, 'make-resource.ts', ...example)
  runScript(root, 'openapi-diff.ts', '--write')
  showExample(root)
  console.log(
    '\nThe demo is removed. npm test, npm run check and npm start still work. Commit, then add folders to resources/.',
  )
  if (!hasExample) console.log(aboutExample)
  for (const passage of removal.edits.missed) console.log(`Not edited, because the text has changed: ${passage}`)
  if (existsSync(join(root, '.data'))) console.log('Delete .data/ to start with an empty database.')
})

/** Fails if files that are not tests import the demo. Tests are removed with the files they import. */
function checkOwnUses({ gone, imports }: Removal): void {
  const isPart = (file: string) => demoParts.some((part) => file === part || file.startsWith(`${part}/`))
  const own = [...gone].filter((file) => !isPart(file) && /^(?:app|plugins|resources)\/(?!.*\.test\.ts$)/.test(file))
  const uses = own.flatMap((file) =>
    (imports.get(file) ?? []).filter((other) => gone.has(other)).map((other) => `${file} imports ${other}`),
  )
  if (uses.length > 0) throw new StartupError(['Files of yours import the demo:', ...uses].join('\n'))
}

function list({ gone, edits: { edited } }: Removal, hasExample: boolean): void {
  for (const file of [...gone].sort()) console.log(`Would remove ${file}.`)
  for (const file of edited.keys()) console.log(`Would edit ${file}.`)
  if (!hasExample) console.log(`Would generate ${folder}, an example.`)
}

async function isConfirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) return true
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Remove the demo, ${count} files? (y/N) `)
  terminal.close()
  return /^y/i.test(answer)
}
