import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

/** What the process above a worker sends to it. */
export const stopMessage = 'stop'

/** Ends the process in good order: at a signal, or after an error that nobody has caught. A second one ends it at once. */
export function onStop({ stop }: Config, logger: Logger, work: () => Promise<void>): void {
  const skip = cluster.isWorker ? [...signals] : []
  const { close } = closeWithGrace({ delay: stop.delay + stop.limit + 60_000, logger, skip }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'The process cannot go on')
    await work()
  })
  if (cluster.isWorker) obey(close)
}

/** A terminal or a service manager may send a signal to all processes: for workers, the one above them decides. */
function obey(close: () => void): void {
  for (const signal of signals) process.on(signal, () => {})
  process.on('message', (message) => {
    if (message === stopMessage) close()
  })
}
