import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** Runs mocha with the arguments of this process and returns its exit code. */
export async function runTests(env: Readonly<Record<string, string>>): Promise<number> {
  const mocha = resolve(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js')
  const child = spawn(process.execPath, [mocha, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  // The child receives SIGINT from the terminal itself; this process stays alive for the clean-up.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
