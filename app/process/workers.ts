import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Plugin } from '#kernel/plugin'
import type { Config } from '../config.ts'
import { forwardPeerMessages } from './peers.ts'
import { onStop, stopMessage } from './stop.ts'

interface Supervision {
  readonly config: Config
  readonly logger: Logger
  readonly plugins: readonly Plugin[]
  /** Prints the address of the service. */
  readonly greet: (server: ListenAddress) => void
}

/** The address of a server, with paths to try. */
export interface ListenAddress extends Pick<AddressInfo, 'address' | 'port'> {
  readonly paths: readonly string[]
}

/**
 * Whether each worker has its own socket on the port, between which the operating system distributes connections.
 * Otherwise the primary process accepts them, and those on the way to a worker that is killed are never closed.
 */
export const reusesPort = cluster.isWorker && process.platform === 'linux'

/** Milliseconds before a worker is restarted, doubled after each failure in a row. */
const firstPause = 100
const longestPause = 10_000
/** Milliseconds of running after which a worker no longer counts as failing. */
const stableAfter = 10_000
/** Failed starts in a row after which the process exits, while no worker serves. */
const maxFailedStarts = 3

/** Runs `config.workers` worker processes, restarts a worker that exits, and stops all of them together. */
export async function superviseWorkers({ config, logger, plugins, greet }: Supervision): Promise<void> {
  const stop = new AbortController()
  const serving = new Set<Worker>()
  let failedStarts = 0
  let allowedStarts = 1
  let { port } = config
  const listening = Promise.withResolvers<ListenAddress>()

  cluster.on('message', (worker, message) => {
    if (!isListenMessage(message)) return
    listening.resolve(message.listening)
    port = message.listening.port // all workers use the port that the first was given if PORT is 0
    serving.add(worker)
    failedStarts = 0
    allowedStarts = maxFailedStarts
  })
  onStop(config, logger, async () => {
    stop.abort()
    await Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker, serving.has(worker))),
    )
  })
  forwardPeerMessages()
  for (const plugin of plugins) {
    if (!config.disabledPlugins.includes(plugin.name)) await plugin.supervise?.(config.variables)
  }

  // The other workers start after the first, so that a faulty configuration is reported once.
  const running = [keepRunning()]
  const address = await Promise.race([listening.promise, once(stop.signal, 'abort').then(() => null)])
  if (address) {
    greet(address)
    for (let count = 1; count < config.workers; count++) running.push(keepRunning())
  }
  await Promise.all(running)

  async function keepRunning(): Promise<void> {
    for (let exits = 0; !stop.signal.aborted; ) {
      const startedAt = performance.now()
      const worker = cluster.fork({ PORT: String(port) })
      worker.on('error', () => {}) // it exited before a message reached it
      const [code, signal] = await once(worker, 'exit')
      if (stop.signal.aborted) return
      if (!serving.delete(worker)) failedStarts++
      if (serving.size === 0 && failedStarts >= allowedStarts) process.exit(code || 1)
      exits = performance.now() - startedAt > stableAfter ? 1 : exits + 1
      const pause = Math.min(firstPause * 2 ** (exits - 1), longestPause)
      logger.error(
        { worker: worker.process.pid, code, signal, pause },
        'Worker exited; it is restarted after the pause.',
      )
      await setTimeout(pause, undefined, stop).catch(() => {})
    }
  }
}

interface ListenMessage {
  readonly listening: ListenAddress
}

/** Reports the address of this worker to the primary process. */
export function reportListening(listening: ListenAddress): void {
  process.send?.({ listening } satisfies ListenMessage)
}

function isListenMessage(message: unknown): message is ListenMessage {
  return typeof message === 'object' && message !== null && 'listening' in message
}

/** Stops a serving worker gracefully; kills one that does not serve yet. */
async function stopWorker(worker: Worker, isServing: boolean): Promise<void> {
  const exit = once(worker, 'exit')
  if (isServing) worker.send(stopMessage)
  else worker.process.kill('SIGKILL')
  const [code] = await exit
  if (isServing && code !== 0) throw new Error(`Worker ${worker.process.pid} failed to stop gracefully.`)
}
