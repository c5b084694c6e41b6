import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { StartupError } from '#store'
import { readPluginList } from './init/plugins.ts'
import { type Identity, recordChoice, writeIdentity, writeRemoval } from './init/project.ts'
import { filesIn, planRemoval } from './init/removal.ts'
import type { Choice } from './manifest/manifest.ts'
import { exitWithUsage, readArguments } from './support/arguments.ts'
import { checkCommitted } from './support/committed.ts'
import { reportErrors, root } from './support/project.ts'
import { run } from './support/run-commands.ts'

const usage = `npm run init -- my-app [--title 'My App'] [--plugins core] [--keep demo,tests] [--dry-run]

Makes a project of the template: sets its name, title and version, and removes the demo, the tests and tools of the template's
maintainers, and pages about the template. npm run update does not bring them back. git checkout . undoes it.

  --title    the title of the API; default: from the name
  --plugins  the plugins to keep, separated by commas; core: those that most services need. Default: all
  --keep     demo: the music catalogue; tests: the tests and tools of the template. Separated by commas
  --dry-run  lists the files instead of removing them`

const { values, positionals } = readArguments({
  usage,
  options: {
    title: { type: 'string' },
    plugins: { type: 'string' },
    keep: { type: 'string', default: '' },
    'dry-run': { type: 'boolean', default: false },
  },
  positionals: 1,
})

const nextSteps = `
git add --all && git commit --message 'Begin the project'
npm run make -- resource people 'name:string!'
npm start`

const choice = readChoice()

await reportErrors(async () => {
  if (!values['dry-run']) checkCommitted(root, 'Undo is git checkout .')
  const identity = await readIdentity()
  const removal = planRemoval(root, choice)
  if (removal.faults.length > 0) {
    throw new StartupError(
      ['Nothing was changed. Files that would be left import removed ones:', ...removal.faults].join('\n'),
    )
  }
  const count = filesIn(root).length
  if (values['dry-run']) {
    for (const file of [...removal.gone].sort()) console.log(`Would remove ${file}.`)
    for (const file of removal.edited.keys()) console.log(`Would edit ${file}.`)
    console.log(`${count} files, of which ${count - removal.gone.size} would be left.`)
    return
  }
  writeRemoval(root, removal)
  writeIdentity(root, identity)
  const scripts = ['make-types.ts', 'docs-errors.ts', 'docs-configuration.ts']
  const commands = [
    ...scripts.map((name) => [`scripts/${name}`] as const),
    ['scripts/openapi-diff.ts', '--write'] as const,
  ]
  for (const command of commands) run(command)
  run(['biome', 'check', '--write', '.'])
  recordChoice(root, choice)
  const left = filesIn(root).length
  console.log(`\n${identity.title}: ${count} files have become ${left}. Checking them.`)
  const code = run(['scripts/run.ts', 'check'])
  if (code !== 0) throw new StartupError('npm run check has failed. git checkout . undoes npm run init.')
  console.log(nextSteps)
  if (existsSync(join(root, '.data'))) console.log('Delete .data/, which has the tables of the demo.')
})

function readChoice(): Choice {
  const kept = values.keep.split(',').filter(Boolean)
  const unknown = kept.find((name) => name !== 'demo' && name !== 'tests')
  if (unknown !== undefined) exitWithUsage(`--keep accepts demo and tests, not '${unknown}'`, usage)
  try {
    return {
      demo: kept.includes('demo'),
      tests: kept.includes('tests'),
      pages: false,
      plugins: readPluginList(root, values.plugins),
    }
  } catch (error) {
    return exitWithUsage((error as Error).message, usage)
  }
}

async function readIdentity(): Promise<Identity> {
  const name = positionals[0] ?? (await promptForName())
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    throw new StartupError(`'${name}' is not a name for a project: lower-case letters, digits, '-', '.' and '_'.`)
  }
  const words = name.split(/[._-]+/).filter(Boolean)
  const title = values.title ?? words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join(' ')
  return { name, title }
}

async function promptForName(): Promise<string> {
  if (!process.stdin.isTTY) throw new StartupError(usage)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const name = await terminal.question('Name of the project, such as my-app: ')
  terminal.close()
  return name.trim()
}
