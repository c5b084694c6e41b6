import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { root } from './root.ts'

/** The configuration of all tests; a project without the tests of the template has the default one only. */
const templateConfig = resolve(root, 'test/template/mocharc.cjs')

/** Runs mocha with the arguments of this process and returns its exit code. */
export async function runTests(env: Readonly<Record<string, string>>): Promise<number> {
  const mocha = resolve(root, 'node_modules/mocha/bin/mocha.js')
  const config = existsSync(templateConfig) ? ['--config', templateConfig] : []
  const child = spawn(process.execPath, [mocha, ...config, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  // The child receives SIGINT from the terminal itself; this process stays alive for the clean-up.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
