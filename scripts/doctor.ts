import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { bootWarnings } from '#kernel/plugin'
import { dormantUses, type Finding, inertUses } from './support/findings.ts'
import type { MissingIndex } from './support/missing-indexes.ts'
import { root, withApp } from './support/project.ts'
import { lookAtSchema } from './support/schema-findings.ts'
import { formatTable } from './support/table.ts'

/**
 * Looks the project over: what keeps it from starting, what it declares without an effect, and what its tables lack.
 * Ends with 1 when something has to be mended; with --strict also when something could be.
 */
await withApp(async (app, config, discovery) => {
  const names = app.plugins.map(({ name }) => name)
  console.log(`The application would start: ${app.registry.types.size} types, ${names.length} plugins.\n`)
  const off = readdirSync(resolve(root, 'plugins')).filter((name) => !names.includes(name))
  print('Plugins that are off', off.map(toRow))
  print('Declared, but not in effect yet, with the plugin that will see to it', toRows(dormantUses(app)))
  print('Declared, but inert: no plugin that is on understands it', toRows(inertUses(app)))
  const warnings = bootWarnings(app.registry, app.plugins)
  print('Allowed, but hardly meant', warnings.map(toRow))

  const { pending, unwritten, keys, lookups, endless } = await lookAtSchema(app, config, discovery)
  print('Migrations that are not applied: npm run migrate, or npm start', pending.map(toRow))
  print('Entities that their migrations do not know: npm run migrate:create', unwritten.map(toRow))
  print('Foreign keys without an index', keys.map(toIndexRow))
  print('Filters, sorts and cursors without an index: to be mended before there are many rows', lookups.map(toIndexRow))
  print(
    'Sorts by text of any length, which no index holds: give it one where there will be many rows',
    endless.map(toRow),
  )

  const isStrict = process.argv.includes('--strict')
  const faults = [pending, unwritten, keys, ...(isStrict ? [inertUses(app), warnings, lookups] : [])].flat()
  if (faults.length > 0) process.exitCode = 1
  console.log(faults.length > 0 ? `${faults.length} to be mended.` : 'Nothing has to be mended.')
})

function toRow(text: string): string[] {
  return [text]
}

function toIndexRow({ asked, create }: MissingIndex): string[] {
  return [asked, `${create};`]
}

function toRows(findings: readonly Finding[]): string[][] {
  return findings.map(({ member, word, plugin, file }) => [member, word, ...(plugin ? [plugin] : []), file])
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const text = rows.length > 0 ? formatTable(rows) : '(none)'
  console.log(`${title}\n${text.replace(/^/gm, '  ')}\n`)
}
