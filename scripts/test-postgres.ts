import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { withPostgres } from './support/postgres.ts'

/** Runs the test suite on a PostgreSQL server. Whatever a client sends, no statement of ours has wrong syntax. */
const complaints: string[] = []
process.exitCode = await withPostgres(runTests, (line) => {
  if (/syntax error/.test(line)) complaints.push(line)
})
for (const complaint of complaints) {
  console.error(`The server says: ${complaint}`)
  process.exitCode = 1
}

async function runTests(databaseUrl: string): Promise<number> {
  const mocha = resolve(import.meta.dirname, '../node_modules/mocha/bin/mocha.js')
  const child = spawn(process.execPath, [mocha, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  // The child hears an interrupt from the terminal by itself; this process has to stay for the clean-up.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
