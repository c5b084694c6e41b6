import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '#test/support/app.ts'
import { markdownFiles } from '../../../scripts/docs/files.ts'

export interface DocumentedCommand {
  readonly file: string
  /** One line, without the variables before it: `npm run seed -- --scale 10`. */
  readonly command: string
}

export const npmScripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
).scripts

/** Returns the commands in inline code and shell blocks of the pages; not of the changelog and of decisions, which are history. */
export function readCommands(): DocumentedCommand[] {
  const files = markdownFiles(root).filter((file) => !/^CHANGELOG|^docs\/decisions/.test(file))
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)```/gm)].flatMap(([, block = '']) => linesOf(block))
    const inline = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
      linesOf(code),
    )
    return [...blocks, ...inline].map((command) => ({ file, command }))
  })
}

/** Returns the commands of a block; a command continues after a backslash and inside of quotes. */
function linesOf(block: string): string[] {
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

/** Returns the npm script that a command runs, or null. */
export function scriptOf(command: string): string | null {
  return /^npm run ([\w:-]+)/.exec(command)?.[1] ?? /^npm (start|test)\b/.exec(command)?.[1] ?? null
}

/** Returns the names of the options that are declared for `parseArgs` in the sources of a script. */
export function optionsOf(script: string): Set<string> {
  const [main = ''] = /\b(?:app|scripts|test|examples)\/\S+\.ts/.exec(npmScripts[script] ?? '') ?? []
  const isAlone = dirname(main) === 'scripts' || dirname(main) === 'app'
  const files = isAlone ? [main] : globSync(`${dirname(main)}/*.ts`, { cwd: root })
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  return new Set([...sources.matchAll(/'?([\w-]+)'?: \{ type: '(?:string|boolean)'/g)].map(([, name = '']) => name))
}
