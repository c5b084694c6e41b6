import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '#test/support/app.ts'
import { markdownFiles } from '../../../scripts/docs/files.ts'
import { commandFiles } from '../../../scripts/support/command-files.ts'
import { templateCommands } from '../../../scripts/template/commands.ts'

export interface DocumentedCommand {
  readonly file: string
  /** One line, without the variables before it: `npm run seed -- --scale 10`. */
  readonly command: string
}

/** The commands of the project with their files; of `template` the first file of each sub-command. */
export const commands: ReadonlyMap<string, string> = new Map([
  ...commandFiles(root),
  ...['start', 'test'].map((name) => [name, name === 'start' ? 'app/main.ts' : ''] as const),
  ...Object.entries(templateCommands).map(
    ([
      name,
      {
        commands: [first = []],
      },
    ]) => {
      return [`template -- ${name}`, first.find((word) => word.endsWith('.ts')) ?? ''] as const
    },
  ),
])

export const npmScripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
).scripts

/** Returns the commands in inline code and shell blocks of the pages; not of the changelog and of decisions, which are history. */
export function readCommands(): DocumentedCommand[] {
  const files = markdownFiles(root).filter((file) => !/^CHANGELOG|^docs\/decisions/.test(file))
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)```/gm)].flatMap(([, block = '']) => splitCommands(block))
    const inline = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
      splitCommands(code),
    )
    return [...blocks, ...inline].map((command) => ({ file, command }))
  })
}

/** Returns the commands of a block; a command continues after a backslash and inside of quotes. */
function splitCommands(block: string): string[] {
  const lines = block.replace(/\\\n\s*/g, '').replace(/'[^']*'/g, (quoted) => quoted.replace(/\s+/g, ' '))
  return lines
    .split(/\n| && /)
    .map((line) =>
      line
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/^(?:[A-Z_]+=\S* )+/, ''),
    )
    .filter((line) => /^(?:npm|npx|node|curl|docker) \S/.test(line))
}

/** Returns the command that a line runs, as `make -- resource` or `template -- prove faults`, or null. */
export function findCommand(line: string): string | null {
  const words = /^npm run (.+)/.exec(line)?.[1] ?? /^npm ((?:start|test)\b.*)/.exec(line)?.[1]
  if (words === undefined) return null
  const names = [...commands.keys()].toSorted((a, b) => b.length - a.length)
  return names.find((name) => `${words} `.startsWith(`${name} `)) ?? /^[\w:-]+/.exec(words)?.[0] ?? null
}

/** Returns the names of the options that are declared for `parseArgs` in the sources of a command. */
export function listOptions(command: string): Set<string> {
  const main = commands.get(command) ?? ''
  const isAlone = ['scripts', 'app', 'scripts/template'].includes(dirname(main))
  const files = isAlone ? [main] : globSync(`${dirname(main)}/*.ts`, { cwd: root })
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  return new Set([...sources.matchAll(/'?([\w-]+)'?: \{ type: '(?:string|boolean)'/g)].map(([, name = '']) => name))
}
