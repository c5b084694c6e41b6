import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

/** Loads the rows that all benchmarks read. */
export function seed(databaseUrl: string, scale: string): void {
  const script = resolve(import.meta.dirname, '../../seed.ts')
  const { status } = spawnSync(process.execPath, [script, '--scale', scale], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  if (status !== 0) throw new Error('The rows could not be loaded.')
}
