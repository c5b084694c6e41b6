import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compiledCode } from '#test/template/support/run-node.ts'
import { unset } from '../../../../scripts/support/unset.ts'
import type { DeniedRows } from './world.ts'

/** A message to a process of the proof. */
export interface Call {
  readonly number: number
  /** The statements of a transaction. */
  readonly write?: readonly string[]
  readonly denied?: readonly DeniedRows[]
}

/** A message from a process of the proof: its URLs when it listens, then the end of each call. */
export interface Reply {
  readonly urls?: readonly string[]
  readonly number?: number
  readonly error?: string
}

/** The applications of all requesters in a process of its own. */
export interface ChildWorld {
  /** The URLs of the applications, in the order of the requesters. */
  readonly urls: readonly string[]
  /** Rejects if the transaction fails, or if the process ends before. */
  call(call: Omit<Call, 'number'>): Promise<void>
  kill(): Promise<void>
}

const variables = { NODE_ENV: 'test', RATE_LIMIT: '0', LOG_LEVEL: 'silent' }

export async function startChildWorld(env: Readonly<Record<string, string>>): Promise<ChildWorld> {
  const child = fork(join(import.meta.dirname, 'serve.ts'), {
    env: { PATH: process.env.PATH, ...compiledCode(), ...unset(), ...variables, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const failed = ended.then(([code]) => Promise.reject(new Error(`The process has ended with ${code}.`)))
  failed.catch(() => {})
  const [{ urls }] = (await Promise.race([once(child, 'message'), failed])) as [Required<Reply>]
  const calls = new Map<number, PromiseWithResolvers<void>>()
  child.on('message', ({ number = 0, error }: Reply) => {
    const { resolve, reject } = calls.get(number) as PromiseWithResolvers<void>
    calls.delete(number)
    if (error === undefined) resolve()
    else reject(new Error(error))
  })
  let count = 0
  return {
    urls,
    call(call) {
      const pending = Promise.withResolvers<void>()
      calls.set(++count, pending)
      child.send({ number: count, ...call } satisfies Call, (error) => error && pending.reject(error))
      return Promise.race([pending.promise, failed])
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
