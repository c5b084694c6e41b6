import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** One program of the cluster. It can be started again, on the same port. */
export interface Part {
  readonly name: string
  readonly port: number
  /** While it runs. */
  readonly pid: number | undefined
  /** Until it can be asked. */
  start(): Promise<void>
  /** In an orderly way. */
  stop(): Promise<void>
  /** As a crash would. */
  kill(): Promise<void>
}

export interface Program {
  readonly name: string
  readonly port: number
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whom it runs as, when that is somebody else. */
  readonly user?: { readonly uid: number; readonly gid: number }
  /** What it says as soon as it can be asked. */
  readonly ready: RegExp
  readonly signals: { readonly stop: NodeJS.Signals; readonly kill: NodeJS.Signals }
  /** Where all that it says is kept. */
  readonly log: string
}

/** No part outlives whoever holds them together. */
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export function createPart(program: Program): Part {
  let running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | null = null
  /** A negative id stands for the process with those that it has started. */
  const end = async (signal: NodeJS.Signals, sign: 1 | -1) => {
    const ending = running
    running = null
    if (ending?.child.pid) process.kill(sign * ending.child.pid, signal)
    await ending?.ended
  }
  return {
    name: program.name,
    port: program.port,
    get pid() {
      return running?.child.pid
    },
    async start() {
      const child = launch(program)
      const started = { child, ended: once(child, 'close') }
      running = started
      child.once('exit', () => {
        if (running === started) running = null
      })
      await untilReady(child, program)
    },
    stop: () => end(program.signals.stop, 1),
    kill: () => end(program.signals.kill, -1),
  }
}

/** In a process group of its own: an interrupt at the keyboard is for whoever holds the parts together. */
function launch({ command, args, env = {}, user, log }: Program): ChildProcess {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  const kept = createWriteStream(log, { flags: 'a' })
  child.stdout?.pipe(kept, { end: false })
  child.stderr?.pipe(kept, { end: false })
  child.once('close', () => kept.end())
  return child
}

function untilReady(child: ChildProcess, { name, ready }: Program): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk: Buffer) => {
      said += chunk
      if (ready.test(said)) settle(resolve)
    }
    const settle = (outcome: () => void) => {
      child.stdout?.off('data', hear)
      child.stderr?.off('data', hear)
      outcome()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('error', (error) => settle(() => reject(error)))
    child.once('close', () => settle(() => reject(new Error(`The ${name} has ended: ${said.trim()}`))))
  })
}
