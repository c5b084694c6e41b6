import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '#test/support/app.ts'
import { type Client, createClient } from '#test/support/client.ts'
import { unset } from '../../../scripts/support/unset.ts'
import { compiledCode } from './run-node.ts'

/** app/main.ts in its own process, while it listens. */
export interface Service {
  readonly client: Client
  readonly pid: number | undefined
  /** The output at the start. */
  readonly printed: string
  /** Sends a signal and returns the exit code; null when the signal ended the process. */
  kill(signal?: NodeJS.Signals): Promise<number | null>
}

export interface Ending {
  readonly code: number | null
  readonly stderr: string
}

export async function startService(env: Record<string, string>): Promise<Service> {
  const { child, ended } = launch(env)
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(`The service has ended: ${stderr}`)))
  const printed = await Promise.race([startupOutput(child), failed])
  const [, url = ''] = /Listening on (\S+)\./.exec(printed) ?? []
  return {
    client: createClient(url, () => {}),
    pid: child.pid,
    printed,
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      return (await ended).code
    },
  }
}

const defaults = { PORT: '0', LOG_LEVEL: 'silent', LOG_FORMAT: 'json', MAX_EVENT_LOOP_DELAY: '0' }

/**
 * Sets every variable, so that the .env file of a developer has no effect. Sheds no load because of a slow event loop: a
 * machine that runs other tests may be slow.
 */
export function launch(env: Record<string, string>): { child: ChildProcess; ended: Promise<Ending> } {
  const child = spawn(process.execPath, [...process.execArgv, join(root, 'app/main.ts')], {
    cwd: root,
    env: { PATH: process.env.PATH, ...compiledCode(), ...unset(), ...defaults, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }))
  return { child, ended }
}

/** Resolves with the first lines of the output; keeps reading, so that the child process never blocks on its output. */
function startupOutput({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stdout?.on('data', (chunk) => {
      text += chunk
      if (/Listening on .*\n(?:.*\n)*$/.test(text)) resolve(text)
    })
  })
}
