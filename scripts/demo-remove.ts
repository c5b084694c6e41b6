import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { StartupError } from '#store'
import { type Edits, planEdits, showExample, writeEdits } from './demo/edits.ts'
import { type Imports, orphansOf, readImports, withImporters } from './demo/imports.ts'
import { demoParts, example } from './demo/parts.ts'
import { readArguments } from './support/arguments.ts'
import { reportErrors, root } from './support/project.ts'

const usage = `npm run demo:remove -- [--dry-run] [--force]

Removes the demo: its resources, the tests that use it, and this command.

  --dry-run  list the files instead of removing them
  --force    accept uncommitted changes`

const { values } = readArguments({ usage, options: { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } })

await reportErrors(async () => {
  const { 'dry-run': isDryRun, force } = values
  const imports = readImports()
  const gone = withImporters(demoParts, imports)
  checkOwnUses(gone, imports)
  for (const orphan of orphansOf(gone, imports)) gone.add(orphan)
  const edits = planEdits(gone)
  if (isDryRun) return list(gone, edits)
  if (!force) checkCommitted()
  if (!(await isConfirmed(gone.size))) return

  for (const part of [...demoParts, ...gone]) remove(part)
  writeEdits(edits)
  runScript('make-resource.ts', ...example)
  runScript('openapi-diff.ts', '--write')
  showExample()
  console.log(
    '\nThe demo is removed. npm test, npm run check and npm start still work. Commit, then add folders to resources/.',
  )
  for (const passage of edits.missed) console.log(`Not edited, because the text has changed: ${passage}`)
  if (existsSync(join(root, '.data'))) console.log('Delete .data/ to start with an empty database.')
})

/** Fails if files that are not tests import the demo. Tests are removed with the files they import. */
function checkOwnUses(gone: ReadonlySet<string>, imports: Imports): void {
  const isPart = (file: string) => demoParts.some((part) => file === part || file.startsWith(`${part}/`))
  const own = [...gone].filter((file) => !isPart(file) && /^(?:app|plugins|resources)\/(?!.*\.test\.ts$)/.test(file))
  const uses = own.flatMap((file) =>
    (imports.get(file) ?? []).filter((other) => gone.has(other)).map((other) => `${file} imports ${other}`),
  )
  if (uses.length > 0) throw new StartupError(['Files of yours import the demo:', ...uses].join('\n'))
}

/** Refuses to run with uncommitted changes, which could be lost. */
function checkCommitted(): void {
  if (!existsSync(join(root, '.git'))) return
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (changes) throw new StartupError(`Commit these changes first, or use --force:\n${changes.trimEnd()}`)
}

function runScript(name: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, 'scripts', name), ...args], { cwd: root, stdio: 'inherit' })
}

function list(gone: ReadonlySet<string>, { edited }: Edits): void {
  for (const file of [...gone].sort()) console.log(`Would remove ${file}.`)
  for (const file of edited.keys()) console.log(`Would edit ${file}.`)
}

async function isConfirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) return true
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Remove the demo, ${count} files? (y/N) `)
  terminal.close()
  return /^y/i.test(answer)
}

/** Removes a file, and folders that are empty then. */
function remove(part: string): void {
  rmSync(join(root, part), { recursive: true, force: true })
  let folder = dirname(part)
  while (folder !== '.' && existsSync(join(root, folder)) && readdirSync(join(root, folder)).length === 0) {
    rmSync(join(root, folder), { recursive: true })
    folder = dirname(folder)
  }
}
