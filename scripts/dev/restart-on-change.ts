import { type ChildProcess, spawn } from 'node:child_process'
import { relative } from 'node:path'
import { createFolderWatcher } from './folder-watcher.ts'

interface RestartOptions {
  /** Arguments of Node: the program, and its arguments. */
  readonly args: readonly string[]
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** Where the output goes; default: the terminal. */
  readonly stdio?: 'inherit' | 'pipe'
  readonly onSpawn?: (child: ChildProcess) => void
  /** Prints a line about the restarts. */
  readonly print?: (line: string) => void
}

export interface Restarts {
  stop(signal?: NodeJS.Signals): void
  /** The exit code of the program after `stop`. */
  readonly stopped: Promise<number>
}

/** Milliseconds in which changes are collected: editors and git change several files at once. */
const collectTime = 100

/** Runs a program, and stops and starts it again after a change. A program that exits is started by the next change. */
export function restartOnChange(options: RestartOptions): Restarts {
  const { args, folders, files, stdio = 'inherit', onSpawn, print = console.error } = options
  const stopped = Promise.withResolvers<number>()
  let child: ChildProcess | null = null
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  let isRestarting = false

  const watching = createFolderWatcher({ folders, files }, (path) => {
    clearTimeout(timer)
    timer = setTimeout(restart, collectTime, path)
  })
  start()

  function start(): void {
    child = spawn(process.execPath, args, { stdio: ['ignore', stdio, stdio] })
    onSpawn?.(child)
    child.once('exit', (code) => {
      child = null
      if (isStopping) stopped.resolve(code ?? 0)
      else if (isRestarting) start()
      else print(`The service has exited with ${code ?? 'a signal'}; the next change starts it again.`)
      isRestarting = false
    })
  }

  /** Starts the program after the old process has exited, because both use the same port and data directory. */
  function restart(path: string): void {
    if (isStopping) return
    print(`Changed: ${relative('.', path)}`)
    isRestarting = child !== null
    if (child) child.kill('SIGTERM')
    else start()
  }

  return {
    stopped: stopped.promise,
    stop(signal = 'SIGTERM') {
      isStopping = true
      clearTimeout(timer)
      watching.close()
      if (child) child.kill(signal)
      else stopped.resolve(0)
    },
  }
}
