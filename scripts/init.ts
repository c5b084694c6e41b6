import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { StartupError } from '#store'
import { optionalPlugins, readPluginList, settingsOfPlugins } from './init/plugins.ts'
import { recordChoice, writeIdentity, writeRemoval } from './init/project.ts'
import { type Answers, promptForProject, toIdentity } from './init/prompt.ts'
import { filesIn, planRemoval } from './init/removal.ts'
import type { Choice } from './manifest/manifest.ts'
import { exitWithUsage, readArguments } from './support/arguments.ts'
import { checkCommitted } from './support/committed.ts'
import { reportErrors, root } from './support/project.ts'
import { type Command, run } from './support/run-commands.ts'

const usage = `npm run init -- my-app [--title 'My App'] [--plugins default,live] [--keep demo,tests] [--dry-run]

Makes a project of the template: sets its name, title and version, and removes the demo, the tests and tools of the template's
maintainers with the packages that only they use, and pages about the template. npm run update does not bring them back. git checkout . undoes it.

  --title    the title of the API; default: from the name
  --plugins  the plugins to keep, separated by commas; default: those that app/plugins.ts enables; core: those that most
             services need; all. Optional plugins that are named here are enabled. Default: default; all with --keep tests
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

checkOptions()

await reportErrors(async () => {
  if (!values['dry-run']) checkCommitted(root, 'Undo is git checkout .')
  const optional = optionalPlugins(root)
  const { name, plugins } = await readAnswers(optional)
  const choice = toChoice(plugins)
  const identity = toIdentity(name, values.title)
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
  const commands: Command[] = [
    // Removes the packages from package-lock.json that package.json does not name any more.
    ['npm', 'install', '--package-lock-only', '--offline', '--ignore-scripts', '--silent'],
    ...scripts.map((name): Command => [`scripts/${name}`]),
    ['scripts/openapi-diff.ts', '--write'],
    ['biome', 'check', '--write', '.'],
  ]
  for (const command of commands) {
    if (run(command) !== 0)
      throw new StartupError(`${command.join(' ')} has failed. git checkout . undoes npm run init.`)
  }
  recordChoice(root, choice)
  const left = filesIn(root).length
  console.log(`\n${identity.title}: ${count} files have become ${left}. Checking them.`)
  const code = run(['scripts/run.ts', 'check'])
  if (code !== 0) throw new StartupError('npm run check has failed. git checkout . undoes npm run init.')
  console.log(nextSteps)
  const added = optional.filter((name) => choice.plugins?.includes(name))
  const settings = settingsOfPlugins(root, added)
  if (settings.length > 0)
    console.log(`\nOptional plugins that are enabled: ${added.join(', ')}.\n${settings.join('\n')}`)
  const omitted = optional.filter((name) => choice.plugins?.includes(name) === false)
  if (omitted.length > 0) {
    console.log(`\nOptional plugins that were left out: ${omitted.join(', ')}. This adds one:
npm run update -- --from <the template> --plugins ${omitted[0]}`)
  }
  if (existsSync(join(root, '.data'))) console.log('Delete .data/, which has the tables of the demo.')
})

function checkOptions(): void {
  const unknown = keptParts().find((name) => name !== 'demo' && name !== 'tests')
  if (unknown !== undefined) exitWithUsage(`--keep accepts demo and tests, not '${unknown}'`, usage)
  try {
    readPluginList(root, values.plugins ?? 'default')
  } catch (error) {
    exitWithUsage((error as Error).message, usage)
  }
}

function keptParts(): string[] {
  return values.keep.split(',').filter(Boolean)
}

async function readAnswers(optional: readonly string[]): Promise<Answers> {
  const [name] = positionals
  if (name !== undefined) return { name, plugins: values.plugins }
  if (!process.stdin.isTTY) throw new StartupError(usage)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const prompt = (question: string) => terminal.question(question)
  const answers = await promptForProject({ prompt, print: console.log }, values.plugins === undefined ? optional : [])
  terminal.close()
  return { name: answers.name, plugins: values.plugins ?? answers.plugins }
}

function toChoice(plugins: string | undefined): Choice {
  const kept = keptParts()
  const tests = kept.includes('tests')
  const list = plugins ?? (tests ? 'all' : 'default')
  return { demo: kept.includes('demo'), tests, pages: false, plugins: readPluginList(root, list) }
}
