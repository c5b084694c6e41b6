import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './app.ts'
import { type Client, createClient } from './client.ts'

export interface Service {
  readonly client: Client
  /** Ends it without warning, and answers when it is gone. */
  kill(): Promise<void>
}

/** app/main.ts in a process of its own; what a developer has in .env counts for nothing where it matters. */
export async function startService(database: { DATA_DIR: string } | { DATABASE_URL: string }): Promise<Service> {
  const child = spawn(process.execPath, [...process.execArgv, join(root, 'app/main.ts')], {
    cwd: root,
    env: { PATH: process.env.PATH, ...unset, PORT: '0', LOG_LEVEL: 'silent', ...database },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const url = await Promise.race([addressOf(child), failureOf(child, ended)])
  return {
    client: createClient(url, () => {}),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const unset = {
  NODE_ENV: '',
  HOST: '',
  DATABASE_URL: '',
  DATABASE_URL_FILE: '',
  DATA_DIR: '',
  BASE_URI: '',
  ADMIN_BASE_URI: '',
  TRUST_PROXY: '',
  DEBUG_ERRORS: '',
  DISABLED_PLUGINS: '',
  BODY_LIMIT: '',
}

/** Reads on, so that the child never waits for a reader. */
function addressOf({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stdout?.on('data', (chunk) => {
      text += chunk
      const [, url] = /Listening on (\S+)\. Try:/.exec(text) ?? []
      if (url) resolve(url)
    })
  })
}

async function failureOf({ stderr }: ChildProcess, ended: Promise<unknown>): Promise<never> {
  let text = ''
  stderr?.on('data', (chunk) => {
    text += chunk
  })
  await ended
  throw new Error(`The service has ended: ${text}`)
}
