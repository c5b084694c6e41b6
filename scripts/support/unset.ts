import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { root } from './root.ts'

/** All variables of the application as good as unset, so that what a developer has in .env counts for nothing. */
export function unset(): Record<string, string> {
  const names = Object.keys(parseEnv(readFileSync(join(root, '.env.example'), 'utf8')))
  return Object.fromEntries(names.flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, '']))
}
