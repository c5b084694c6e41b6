import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Plugin } from '#kernel/plugin'
import type { Config } from '../config.ts'
import { forwardPeerMessages } from './peers.ts'
import { onStop, stopMessage } from './stop.ts'

export interface Supervision {
  readonly config: Config
  readonly logger: Logger
  readonly plugins: readonly Plugin[]
  readonly printUrls: (server: { readonly address: string; readonly port: number }) => void
}

/** Milliseconds before a worker is restarted, doubled after each failure in a row. */
const firstPause = 100
const longestPause = 10_000
/** Milliseconds of running after which a worker no longer counts as failing. */
const stableAfter = 10_000
/** Failed starts in a row after which the process exits, while no worker serves. */
const maxFailedStarts = 3

/** Runs `config.workers` worker processes, restarts a worker that exits, and stops all of them together. */
export async function superviseWorkers({ config, logger, plugins, printUrls }: Supervision): Promise<void> {
  const stop = new AbortController()
  const serving = new Set<Worker>()
  let failedStarts = 0
  let allowedStarts = 1

  cluster.once('listening', (_worker, { address, port }) => printUrls({ address, port }))
  cluster.on('listening', (worker) => {
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
  await once(cluster, 'listening', stop).catch(() => {})
  for (let count = 1; count < config.workers; count++) running.push(keepRunning())
  await Promise.all(running)

  async function keepRunning(): Promise<void> {
    for (let exits = 0; !stop.signal.aborted; ) {
      const startedAt = performance.now()
      const worker = cluster.fork()
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

/** Stops a serving worker gracefully; kills one that does not serve yet. */
async function stopWorker(worker: Worker, isServing: boolean): Promise<void> {
  const exit = once(worker, 'exit')
  if (isServing) worker.send(stopMessage)
  else worker.process.kill('SIGKILL')
  const [code] = await exit
  if (isServing && code !== 0) throw new Error(`Worker ${worker.process.pid} failed to stop gracefully.`)
}
