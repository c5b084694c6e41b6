import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Imports no package, because npm run update reads it for versions whose packages are not installed.

/** The commands of a project, as `make -- resource`, with the files that they run; `example`, with its own file. */
export function commandFiles(root: string): ReadonlyMap<string, string> {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = existsSync(join(root, 'scripts')) ? readdirSync(join(root, 'scripts')) : []
  const filesOf = ([name, command]: [string, string]): [string, string][] => {
    const [, family] = /^node scripts\/run\.ts (\S+)$/.exec(command) ?? []
    if (family === undefined) return [[name, /[\w./-]+(?<!\.test)\.ts\b/.exec(command)?.[0] ?? '']]
    const subs = names.filter((entry) => entry.startsWith(`${family}-`) && entry.endsWith('.ts'))
    return [
      ...(names.includes(`${family}.ts`) ? [[name, `scripts/${family}.ts`] as [string, string]] : []),
      ...subs.map((entry): [string, string] => [
        `${name} -- ${entry.slice(family.length + 1, -'.ts'.length)}`,
        `scripts/${entry}`,
      ]),
    ]
  }
  return new Map(
    Object.entries<string>(scripts)
      .flatMap(filesOf)
      .filter(([, file]) => file !== ''),
  )
}
