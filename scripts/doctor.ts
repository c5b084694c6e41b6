import { bootWarnings } from '#kernel'
import { dormantUses, type Finding, inertUses } from './support/findings.ts'
import { withApp } from './support/project.ts'
import { formatTable } from './support/table.ts'

/** Looks the project over: what keeps it from starting, and what is declared without having an effect. */
await withApp((app) => {
  const types = app.registry.types.size
  console.log(`The application would start: ${types} types, ${app.plugins.length} plugins.\n`)
  print('Declared, but not in effect yet, with the plugin that will see to it', toRows(dormantUses(app)))
  print('Declared, but inert: no plugin that is on understands it', toRows(inertUses(app)))
  print(
    'Allowed, but hardly meant',
    bootWarnings(app.registry).map((warning) => [warning]),
  )
})

function toRows(findings: readonly Finding[]): string[][] {
  return findings.map(({ member, word, plugin, file }) => [member, word, ...(plugin ? [plugin] : []), file])
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const text = rows.length > 0 ? formatTable(rows) : '(none)'
  console.log(`${title}\n${text.replace(/^/gm, '  ')}\n`)
}
