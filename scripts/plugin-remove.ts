import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '#store'
import { writeChanges } from './plugin/compile.ts'
import { type PluginRemoval, planPluginRemoval } from './plugin/removal.ts'
import { exitWithUsage, readArguments } from './support/arguments.ts'
import { checkCommitted } from './support/committed.ts'
import { reportErrors, root } from './support/project.ts'
import { runScript } from './support/run-script.ts'

const usage = `npm run plugin -- remove <name>… [--dry-run] [--force]

Removes plugins: the folders, their lines in app/plugins.ts, their rows in docs/features.md, their variables in .env.example,
and the tests of the template that use them. Compiles a copy without the plugins first, which takes some seconds. Exits with 1
and lists the lines if a resource, another plugin or a helper of other tests uses them.

  --dry-run  list the files instead of removing them
  --force    accept uncommitted changes`

const options = { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } as const
const { values, positionals } = readArguments({ usage, options, positionals: Number.POSITIVE_INFINITY })
if (positionals.length === 0) exitWithUsage('Name a plugin', usage)

await reportErrors(async () => {
  checkNames(positionals)
  if (!values['dry-run'] && !values.force) checkCommitted(root)
  const removal = planPluginRemoval(root, positionals)
  checkRefusals(removal)
  const sql = readRemovalSql(positionals)
  if (values['dry-run']) {
    list(removal, 'Would remove', 'Would edit')
    return showRemovalSql(sql)
  }
  writeChanges(root, removal.gone, removal.edited)
  list(removal, 'Removed', 'Edited')
  for (const script of ['docs-errors.ts', 'docs-configuration.ts']) runScript(root, script)
  runScript(root, 'openapi-diff.ts', '--write')
  showRemovalSql(sql)
  console.log('Run npm test: tests that request the feature without importing it fail now; delete them.')
})

function checkNames(names: readonly string[]): void {
  const unknown = names.filter((name) => !/^[\w-]+$/.test(name) || !existsSync(join(root, 'plugins', name)))
  if (unknown.length === 0) return
  const accepted = readdirSync(join(root, 'plugins')).join(', ')
  throw new StartupError(`No folder in plugins/: ${unknown.join(', ')}. Plugins: ${accepted}.`)
}

/** The statements that remove from a database what the migrations of the plugins have created. */
function readRemovalSql(names: readonly string[]): string {
  const files = names.map((name) => join(root, 'plugins', name, 'removal.sql'))
  return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('')
}

function showRemovalSql(sql: string): void {
  if (sql !== '')
    console.log(`Databases keep the tables and triggers. After the deployment, these statements remove them:\n\n${sql}`)
}

function checkRefusals({ refusals }: PluginRemoval): void {
  if (refusals.length === 0) return
  const requiring = [...new Set(refusals.flatMap((line) => /^plugins\/([^/]+)/.exec(line)?.[1] ?? []))]
  const command = `npm run plugin -- remove ${[...positionals, ...requiring].join(' ')}`
  throw new StartupError(
    [
      `Nothing was removed. These lines use ${positionals.join(', ')}; edit or delete them first:`,
      ...refusals,
      ...(requiring.length > 0 ? [`Or remove the plugins that require it, too: ${command}`] : []),
    ].join('\n'),
  )
}

function list({ gone, edited }: PluginRemoval, removed: string, changed: string): void {
  for (const file of [...gone].sort()) console.log(`${removed} ${file}.`)
  for (const file of [...edited.keys()].sort()) console.log(`${changed} ${file}.`)
}
