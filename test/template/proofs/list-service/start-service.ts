import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compiledCode } from '#test/template/support/run-node.ts'
import { unset } from '../../../../scripts/support/unset.ts'
import type { Measurement } from './measure.ts'

/** The service of lists in its own process. */
export interface ListService {
  readonly url: string
  measure(): Promise<Measurement>
  /** Ends the process: gracefully by SIGTERM, otherwise as in a crash. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Variables that keep the limits of the service out of the measurement. */
const variables = { NODE_ENV: 'test', RATE_LIMIT: '0', LOG_LEVEL: 'silent', TRUST_PROXY: 'true' }

export async function startListService(env: Readonly<Record<string, string>>): Promise<ListService> {
  const child = fork(join(import.meta.dirname, 'serve.ts'), {
    execArgv: ['--expose-gc'],
    env: { PATH: process.env.PATH, ...compiledCode(), ...unset(), ...variables, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const failed = ended.then(([code]) => Promise.reject(new Error(`The service has ended with ${code}.`)))
  failed.catch(() => {})
  const message = async () => (await Promise.race([once(child, 'message'), failed]))[0]
  const { url } = (await message()) as { url: string }
  return {
    url,
    async measure() {
      child.send('measure')
      return (await message()) as Measurement
    },
    async stop(signal = 'SIGTERM') {
      end(child, signal)
      await ended
    },
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
}
