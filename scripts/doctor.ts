import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { bootWarnings } from '#kernel/plugin'
import { readArguments } from './support/arguments.ts'
import { dormantUses, type Finding, inertUses } from './support/findings.ts'
import type { MissingIndex } from './support/missing-indexes.ts'
import { root, withApp } from './support/project.ts'
import { checkSchema } from './support/schema-findings.ts'
import { formatTable } from './support/table.ts'

const usage = `npm run doctor -- [--strict]

Checks the project: faults that prevent the start, declarations without effect, migrations, columns that the database
lacks, missing indexes and formats that lose a part of the stored time. Exits with 1 if there is an error.

  --strict  exit with 1 also if there is a warning`

const { strict: isStrict = false } = readArguments({ usage, options: { strict: { type: 'boolean' } } }).values

await withApp(async (app, config, discovery) => {
  const names = app.plugins.map(({ name }) => name)
  console.log(`The application would start: ${app.registry.types.size} types, ${names.length} plugins.\n`)
  const disabled = readdirSync(resolve(root, 'plugins')).filter((name) => !names.includes(name))
  print('Plugins that are not enabled', disabled.map(toRow))
  print('Declared without effect, with the plugin that will implement it', toRows(dormantUses(app)))
  print('Declared without effect: no enabled plugin implements it', toRows(inertUses(app)))
  const warnings = bootWarnings(app.registry, app.plugins)
  print('Valid, but probably a mistake', warnings.map(toRow))

  const { pending, missing, unwritten, keys, lookups, uniques, unbounded, lossy } = await checkSchema(
    app,
    config,
    discovery,
  )
  print('Migrations that are pending: npm run migrate, or npm start', pending.map(toRow))
  print('Columns and tables of entities that the database lacks', missing.map(toRow))
  print('Entities that differ from their migrations: npm run migrate:create', unwritten.map(toRow))
  print('Foreign keys without an index', keys.map(toIndexRow))
  print('Filters, sorts and cursors without an index: add it before the table is large', lookups.map(toIndexRow))
  print('Soft deletes without a partial unique index: trashed rows keep their values', uniques.map(toIndexRow))
  print(
    'Sorts by text of unlimited length, which cannot be indexed: give the column a length if the table will be large',
    unbounded.map(toRow),
  )

  print('Times that documents show in part: an update that sends them back destroys the rest', lossy.map(toRow))

  const faults = [
    pending,
    missing,
    unwritten,
    keys,
    ...(isStrict ? [inertUses(app), warnings, lookups, uniques, lossy] : []),
  ].flat()
  if (faults.length > 0) process.exitCode = 1
  console.log(faults.length > 0 ? `${faults.length} to fix.` : 'Nothing to fix.')
})

function toRow(text: string): string[] {
  return [text]
}

function toIndexRow({ usedBy, create }: MissingIndex): string[] {
  return [usedBy, `${create};`]
}

function toRows(findings: readonly Finding[]): string[][] {
  return findings.map(({ member, word, plugin, file }) => [member, word, ...(plugin ? [plugin] : []), file])
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const text = rows.length > 0 ? formatTable(rows) : '(none)'
  console.log(`${title}\n${text.replace(/^/gm, '  ')}\n`)
}
