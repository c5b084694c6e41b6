import { exitWithUsage, readArguments } from '../support/arguments.ts'
import { run, runInOrder } from '../support/run-commands.ts'
import { formatTable } from '../support/table.ts'
import { findCommands, templateCommands } from './commands.ts'

const args = process.argv.slice(2)
const names = Object.keys(templateCommands).toSorted((a, b) => b.length - a.length)
const name = names.find((words) => `${args.join(' ')} `.startsWith(`${words} `))

if (name === undefined) list()
else runCommands(name, args.slice(name.split(' ').length))

function runCommands(name: string, rest: readonly string[]): void {
  const commands = findCommands(name)
  const [only, ...others] = commands
  if (only && others.length === 0) {
    process.exitCode = run([...only, ...rest])
    return
  }
  const usage = `npm run template -- ${name}\n\nRuns in order:\n${commands.map((words) => `  ${words.join(' ')}`).join('\n')}`
  readArguments({ usage }, rest)
  process.exitCode = runInOrder(commands)
}

function list(): void {
  const rows = Object.entries(templateCommands).map(([words, { effect }]) => [`npm run template -- ${words}`, effect])
  const usage = `For maintainers of the template:\n\n${formatTable(rows)}`
  if (args.length === 0 || args[0] === '--help' || args[0] === '-h') console.log(usage)
  else exitWithUsage(`Unknown sub-command '${args[0]}'`, usage)
}
