import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

/** Message of the primary process to a worker. */
export const stopMessage = 'stop'

/** Graceful shutdown: runs the work on a signal or an uncaught error, then exits. A second signal exits immediately. */
export function onStop({ stop }: Config, logger: Logger, work: () => Promise<void>): void {
  const skip = cluster.isWorker ? [...signals] : []
  const { close } = closeWithGrace(
    { delay: stop.delay + stop.limit + 60_000, logger, skip },
    async ({ err, signal }) => {
      if (err) logger.fatal({ err }, 'Uncaught error; the process stops.')
      else logger.info({ signal }, 'Graceful shutdown started; running requests and jobs are finished.')
      await work()
      logger.info('Graceful shutdown finished; the process exits.')
    },
  )
  if (cluster.isWorker) stopOnMessage(close)
}

/** Ignores signals, which a terminal or service manager may send to all processes; the primary process stops the workers. */
function stopOnMessage(close: () => void): void {
  for (const signal of signals) process.on(signal, () => {})
  process.on('message', (message) => {
    if (message === stopMessage) close()
  })
}
