import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseExample } from './env-example.ts'
import { root } from './root.ts'

/** Sets all variables of the application to empty values, so that .env has no effect. */
export function unset(): Record<string, string> {
  const names = Object.keys(parseExample(readFileSync(join(root, '.env.example'), 'utf8')))
  return Object.fromEntries(names.flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, '']))
}
