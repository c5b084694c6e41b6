import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changelogBetween } from '../manifest/changelog.ts'
import { spawnGit } from '../manifest/git.ts'
import { hasFilesIn } from './pairs.ts'
import type { Change, Result } from './plan.ts'
import type { Update, UpdateOptions } from './plan-update.ts'
import { describeVersion } from './snapshot.ts'

/** Returns the number of conflicts, in files and in keys of package.json. */
export function countConflicts({ changes, keyConflicts }: Update): number {
  return withResult(changes, 'conflict').length + keyConflicts.length
}

/** Prints what an update has done, or would do, and the changelog between the versions. */
export function printSummary(update: Update, options: UpdateOptions, isDryRun: boolean): void {
  const { versions, changes, keyConflicts, ownerChanges } = update
  const { base, target } = versions
  console.log(`${isDryRun ? 'Would update' : 'Updated'} from ${describeVersion(base)} to ${describeVersion(target)}.`)
  console.log(`${countResults(changes)}.`)
  printList('Merged with your changes', withResult(changes, 'merged').map(describe))
  printList('Conflicts', [
    ...withResult(changes, 'conflict').map(describe),
    ...keyConflicts.map(({ key, ours, theirs }) => {
      return `package.json: ${key}: kept ${JSON.stringify(ours)}; the template has ${JSON.stringify(theirs) ?? 'removed it'}`
    }),
  ])
  printList('Not added', withResult(changes, 'skipped').map(describe))
  printList('New plugins: add these lines to app/plugins.ts, or delete the folder', newPlugins(update))
  printList('Changed in the template, but yours; --owner-files merges them', ownerChanges)
  printCodemods(update, options)
  const changelog = changelogBetween(base.folder, target.folder)
  if (changelog) console.log(`\nCHANGELOG.md since ${base.version}:\n\n${changelog}`)
}

/** Prints the changes of codemods as a diff. */
export function printCodemodDiff({ versions, codemods }: Update, workspace: string): void {
  const folder = join(workspace, 'rewritten')
  for (const { path, content } of codemods.rewritten) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content as Buffer)
    const options = ['--no-index', '--no-color', '--no-prefix']
    const { stdout } = spawnGit(versions.project, ['diff', ...options, path, file])
    const hunks = stdout.toString().split('\n').slice(4).join('\n')
    console.log(`\n--- ${path}\n+++ ${path}\n${hunks.trimEnd()}`)
  }
}

function printCodemods({ codemods: { descriptions, rewritten } }: Update, options: UpdateOptions): void {
  if (rewritten.length === 0) return
  printList('Codemods', descriptions)
  const title = options.codemods ? 'Rewritten by codemods' : 'Files of yours to rewrite; --codemods does it'
  printList(
    title,
    rewritten.map(({ path }) => path),
  )
}

/** The folder of each new plugin, and its lines in the list of the template. */
function newPlugins({ versions: { base, target }, changes }: Update): string[] {
  const folders = withResult(changes, 'added').flatMap(({ path }) => /^plugins\/[^/]+(?=\/)/.exec(path) ?? [])
  const file = join(target.folder, 'app/plugins.ts')
  const list = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return [...new Set(folders)]
    .filter((folder) => !hasFilesIn(base, folder))
    .flatMap((folder) => {
      const [, statement, name] = new RegExp(`(import \\{ (\\w+)[^}]*\\} from '#${folder}/.*)`).exec(list) ?? []
      return statement ? [folder, `  ${statement}`, `  ${name}(),`] : folder
    })
}

function countResults(changes: readonly Change[]): string {
  const count = (result: Result) => withResult(changes, result).length
  const counts = (['replaced', 'merged', 'added', 'removed'] as const).map((result) => `${count(result)} ${result}`)
  return `Files: ${counts.join(', ')}, ${count('conflict')} with conflicts; ${count('absent')} deleted files stay deleted`
}

function withResult(changes: readonly Change[], result: Result): Change[] {
  return changes.filter((change) => change.result === result)
}

function describe({ path, note }: Change): string {
  return note ? `${path}: ${note}` : path
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
