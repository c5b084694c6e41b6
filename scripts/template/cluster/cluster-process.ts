import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** A process of the cluster. It can be restarted on the same port. */
export interface ClusterProcess {
  readonly name: string
  readonly port: number
  /** Undefined while it is not running. */
  readonly pid: number | undefined
  /** Resolves when the process is ready. */
  start(): Promise<void>
  /** Stops gracefully. */
  stop(): Promise<void>
  /** Kills the process group, as in a crash. */
  kill(): Promise<void>
}

export interface ProcessOptions {
  readonly name: string
  readonly port: number
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The user to run as; the current user by default. */
  readonly user?: { readonly uid: number; readonly gid: number }
  /** Matches its output as soon as it is ready. */
  readonly ready: RegExp
  readonly signals: { readonly stop: NodeJS.Signals; readonly kill: NodeJS.Signals }
  /** The file that receives its output. */
  readonly log: string
}

/** Killed on exit, so that no child outlives this process. */
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export function createClusterProcess(options: ProcessOptions): ClusterProcess {
  let running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | null = null
  /** A negative process id signals the whole process group. */
  const end = async (signal: NodeJS.Signals, sign: 1 | -1) => {
    const ending = running
    running = null
    if (ending?.child.pid) process.kill(sign * ending.child.pid, signal)
    await ending?.ended
  }
  return {
    name: options.name,
    port: options.port,
    get pid() {
      return running?.child.pid
    },
    async start() {
      const child = launch(options)
      const started = { child, ended: once(child, 'close') }
      running = started
      child.once('exit', () => {
        if (running === started) running = null
      })
      await untilReady(child, options)
    },
    stop: () => end(options.signals.stop, 1),
    kill: () => end(options.signals.kill, -1),
  }
}

/** Detached, so that Ctrl+C reaches only this process, which then stops its children in order. */
function launch({ command, args, env = {}, user, log }: ProcessOptions): ChildProcess {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  const logStream = createWriteStream(log, { flags: 'a' })
  child.stdout?.pipe(logStream, { end: false })
  child.stderr?.pipe(logStream, { end: false })
  child.once('close', () => logStream.end())
  return child
}

function untilReady(child: ChildProcess, { name, ready }: ProcessOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const onData = (chunk: Buffer) => {
      output += chunk
      if (ready.test(output)) finish(resolve)
    }
    const finish = (outcome: () => void) => {
      child.stdout?.off('data', onData)
      child.stderr?.off('data', onData)
      outcome()
    }
    child.stdout?.on('data', onData)
    child.stderr?.on('data', onData)
    child.once('error', (error) => finish(() => reject(error)))
    child.once('close', () =>
      finish(() => reject(new Error(`The ${name} exited before it was ready: ${output.trim()}`))),
    )
  })
}
