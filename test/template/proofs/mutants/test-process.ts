import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { RunRequest, RunResult } from './protocol.ts'

/** Ends a run in which a mutant keeps the event loop busy, as in an endless loop. */
const timeLimit = 120_000
/** A process that has kept applications of failed tests open is replaced. */
const memoryLimit = 1_500_000_000

/** A child process with the instrumented code. It is started again after it ended or was ended. */
export class TestProcess {
  readonly #target: string
  #child: ChildProcess | null = null
  #initial = 0

  constructor(target: string) {
    this.#target = target
  }

  /** Starts a new process in which the mutant is active when modules are loaded. */
  restart(mutant: number): void {
    this.close()
    this.#initial = mutant
  }

  /** Runs a test file. Returns the reason if the process ended or exceeded the time limit. */
  async run(request: RunRequest): Promise<RunResult | string> {
    const child = this.#child ?? (await this.#start())
    if (!child) return 'the modules could not be loaded'
    const ended = new AbortController()
    const timer = setTimeout(() => child.kill('SIGKILL'), request.mutant === 0 ? 5 * timeLimit : timeLimit)
    child.send(request)
    try {
      const [result] = (await Promise.race([
        once(child, 'message', { signal: ended.signal }),
        once(child, 'exit', { signal: ended.signal }).then(() => [null]),
      ])) as [RunResult | null]
      if (!result) this.#child = null
      else if (result.rss > memoryLimit) this.close()
      return result ?? (child.killed ? 'time-out' : 'the process ended')
    } finally {
      clearTimeout(timer)
      ended.abort()
    }
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#child = null
    this.#initial = 0
  }

  async #start(): Promise<ChildProcess | null> {
    const child = fork(resolve(import.meta.dirname, 'worker.ts'), [this.#target, String(this.#initial)], {
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', process.env.MUTANTS_DEBUG ? 'inherit' : 'ignore', 'ipc'],
      env: { ...process.env, TEST_RUN: String(process.pid) },
    })
    const isReady = await Promise.race([once(child, 'message').then(() => true), once(child, 'exit').then(() => false)])
    this.#child = isReady ? child : null
    return this.#child
  }
}
