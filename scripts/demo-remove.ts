import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { StartupError } from '#store'
import { type Edits, planEdits, showExample, writeEdits } from './demo/edits.ts'
import { type Imports, orphansOf, readImports, withImporters } from './demo/imports.ts'
import { demoParts, example } from './demo/parts.ts'
import { orExplain, root } from './support/project.ts'

/** Takes the music catalogue out: its resources, the tests that speak of it, and this command. */
await orExplain(async () => {
  const { 'dry-run': isDryRun, force } = readArguments()
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
  console.log('\nThe demo is gone; npm test, npm run check and npm start go on. Commit it, and begin with resources/.')
  for (const passage of edits.missed) console.log(`Left alone, because it has changed: ${passage}`)
  if (existsSync(join(root, '.data')))
    console.log('Delete .data/, where its rows are, to begin with an empty database.')
})

function readArguments() {
  try {
    return parseArgs({ options: { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } }).values
  } catch (error) {
    throw new StartupError((error as Error).message)
  }
}

/** Tests go with what they test, but what is yours stays, and must not lead to the demo. */
function checkOwnUses(gone: ReadonlySet<string>, imports: Imports): void {
  const isPart = (file: string) => demoParts.some((part) => file === part || file.startsWith(`${part}/`))
  const own = [...gone].filter((file) => !isPart(file) && /^(?:app|plugins|resources)\/(?!.*\.test\.ts$)/.test(file))
  const uses = own.flatMap((file) =>
    (imports.get(file) ?? []).filter((other) => gone.has(other)).map((other) => `${file} imports ${other}`),
  )
  if (uses.length > 0) throw new StartupError(['The demo is in use:', ...uses].join('\n'))
}

/** Where git knows the project, what it does not know yet would be lost. */
function checkCommitted(): void {
  if (!existsSync(join(root, '.git'))) return
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (changes) throw new StartupError(`Commit these changes first, or say --force:\n${changes.trimEnd()}`)
}

function runScript(name: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, 'scripts', name), ...args], { cwd: root, stdio: 'inherit' })
}

function list(gone: ReadonlySet<string>, { edited }: Edits): void {
  for (const file of [...gone].sort()) console.log(`Would remove ${file}.`)
  for (const file of edited.keys()) console.log(`Would change ${file}.`)
}

async function isConfirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) return true
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Remove the demo, ${count} files? (y/N) `)
  terminal.close()
  return /^y/i.test(answer)
}

/** With the folders that are empty after it. */
function remove(part: string): void {
  rmSync(join(root, part), { recursive: true, force: true })
  let folder = dirname(part)
  while (folder !== '.' && existsSync(join(root, folder)) && readdirSync(join(root, folder)).length === 0) {
    rmSync(join(root, folder), { recursive: true })
    folder = dirname(folder)
  }
}
