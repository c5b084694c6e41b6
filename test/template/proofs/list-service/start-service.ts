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
  /** Sends a message to the process, and returns the next one from it. */
  ask(request: string): Promise<unknown>
  /** Ends the process: gracefully by SIGTERM, otherwise as in a crash. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Variables that keep the limits of the service out of the measurement. */
const variables = { NODE_ENV: 'test', RATE_LIMIT: '0', LOG_LEVEL: 'silent', TRUST_PROXY: 'true' }

/** Starts a process of the service, or of another one that sends its URL. */
export async function startListService(
  env: Readonly<Record<string, string>>,
  file = join(import.meta.dirname, 'serve.ts'),
): Promise<ListService> {
  const child = fork(file, {
    execArgv: ['--expose-gc'],
    env: { PATH: process.env.PATH, ...compiledCode(), ...unset(), ...variables, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const failed = ended.then(([code]) => Promise.reject(new Error(`The service has ended with ${code}.`)))
  failed.catch(() => {})
  const message = async () => (await Promise.race([once(child, 'message'), failed]))[0]
  const { url } = (await message()) as { url: string }
  const ask = (request: string): Promise<unknown> => {
    child.send(request)
    return message()
  }
  return {
    url,
    async measure() {
      return (await ask('measure')) as Measurement
    },
    ask,
    async stop(signal = 'SIGTERM') {
      end(child, signal)
      await ended
    },
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
}
