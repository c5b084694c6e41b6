import { existsSync, readdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileCache, root } from './support/root.ts'
import { stopWithParent } from './support/stop-with-parent.ts'

// `npm run make -- resource notes` runs `node scripts/run.ts make resource notes`, which imports scripts/make-resource.ts. Without a
// sub-command, scripts/make.ts runs, if there is one; otherwise the sub-commands are listed.

enableCompileCache(compileCache)
stopWithParent()

const [name = '', first = '', ...others] = process.argv.slice(2)
const file = (...words: readonly string[]) => join(root, 'scripts', `${words.join('-')}.ts`)

if (/^[a-z]+$/.test(first) && existsSync(file(name, first))) await start(file(name, first), others)
else if (existsSync(file(name))) await start(file(name), process.argv.slice(3))
else list(name, first)

/** Runs a script with its arguments, as if Node had started it. */
async function start(script: string, args: readonly string[]): Promise<void> {
  process.argv = [process.execPath, resolve(script), ...args]
  await import(pathToFileURL(script).href)
}

function list(family: string, argument: string): void {
  const names = readdirSync(join(root, 'scripts'))
    .filter((entry) => entry.startsWith(`${family}-`) && entry.endsWith('.ts'))
    .map((entry) => entry.slice(family.length + 1, -'.ts'.length))
  const usage = names.map((sub) => `npm run ${family} -- ${sub}`).join('\n')
  const isHelp = argument === '' || argument === '--help' || argument === '-h'
  if (isHelp) console.log(`${usage}\n\nEach prints its options with --help.`)
  else console.error(`Unknown sub-command '${argument}'.\n\n${usage}`)
  process.exitCode = isHelp ? 0 : 1
}
