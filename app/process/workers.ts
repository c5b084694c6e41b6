import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Plugin } from '#kernel/plugin'
import type { Config } from '../config.ts'
import { passOn } from './peers.ts'
import { onStop, stopMessage } from './stop.ts'

export interface Supervision {
  readonly config: Config
  readonly logger: Logger
  readonly plugins: readonly Plugin[]
  readonly greet: (place: { readonly address: string; readonly port: number }) => void
}

/** In milliseconds: the pause before the place of a worker is taken again, which is doubled each time, and the longest. */
const firstPause = 100
const longestPause = 10_000
/** A worker that has run for so many milliseconds was in order. */
const steady = 10_000
/** Starts in a row that come to nothing while nobody serves. */
const maxFailedStarts = 3

/** Keeps so many processes running that serve, and stops them together. */
export async function superviseWorkers({ config, logger, plugins, greet }: Supervision): Promise<void> {
  const stop = new AbortController()
  const serving = new Set<Worker>()
  let failedStarts = 0
  let allowedStarts = 1

  cluster.once('listening', (_worker, { address, port }) => greet({ address, port }))
  cluster.on('listening', (worker) => {
    serving.add(worker)
    failedStarts = 0
    allowedStarts = maxFailedStarts
  })
  onStop(config, logger, async () => {
    stop.abort()
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker, serving.has(worker))))
  })
  passOn()
  for (const plugin of plugins) {
    if (!config.disabledPlugins.includes(plugin.name)) await plugin.supervise?.(config.variables)
  }

  // The first shows whether the service can start at all, and says so once.
  const keeping = [keepOne()]
  await once(cluster, 'listening', stop).catch(() => {})
  for (let count = 1; count < config.workers; count++) keeping.push(keepOne())
  await Promise.all(keeping)

  async function keepOne(): Promise<void> {
    for (let deaths = 0; !stop.signal.aborted; ) {
      const began = performance.now()
      const worker = cluster.fork()
      worker.on('error', () => {}) // it is gone before a message has reached it
      const [code, signal] = await once(worker, 'exit')
      if (stop.signal.aborted) return
      if (!serving.delete(worker)) failedStarts++
      if (serving.size === 0 && failedStarts >= allowedStarts) process.exit(code || 1)
      deaths = performance.now() - began > steady ? 1 : deaths + 1
      const pause = Math.min(firstPause * 2 ** (deaths - 1), longestPause)
      logger.error({ worker: worker.process.pid, code, signal, pause }, 'A worker has ended; another takes its place')
      await setTimeout(pause, undefined, stop).catch(() => {})
    }
  }
}

/** One that does not serve yet has nothing to finish. */
async function end(worker: Worker, serves: boolean): Promise<void> {
  const exit = once(worker, 'exit')
  if (serves) worker.send(stopMessage)
  else worker.process.kill('SIGKILL')
  const [code] = await exit
  if (serves && code !== 0) throw new Error(`Worker ${worker.process.pid} has not ended in good order.`)
}
