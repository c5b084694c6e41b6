import { createInterface } from 'node:readline/promises'
import { StartupError } from '#store'
import { planPlugin, writePlugin } from './make/plugin.ts'
import { readArguments } from './support/arguments.ts'
import { reportErrors } from './support/project.ts'

const usage = `npm run make -- plugin audit-log [--dry-run]

Creates a working plugin to start from: a folder, a line in app/plugins.ts and a row in docs/features.md.

  --dry-run  print the files instead of writing them`

const { values, positionals } = readArguments({ usage, options: { 'dry-run': { type: 'boolean' } }, positionals: 1 })

await reportErrors(async () => {
  const sources = await planPlugin(positionals[0] ?? (await promptForName()))
  if (values['dry-run']) {
    for (const [file, source] of sources) if (file.startsWith('plugins/')) console.log(`--- ${file}\n${source}`)
    console.log('The command also adds a line to app/plugins.ts and a row to docs/features.md.')
    return
  }
  await writePlugin(sources)
  for (const file of sources.keys()) console.log(`Wrote ${file}.`)
})

async function promptForName(): Promise<string> {
  if (!process.stdin.isTTY) throw new StartupError(usage)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const name = await terminal.question('Name, as in audit-log: ')
  terminal.close()
  return name.trim()
}
