import { type DestinationStream, type Logger, pino } from 'pino'
import { currentRequestId } from '#kernel/plugin'

/** One JSON object a line; what is logged while a request is answered says which. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, mixin: () => ({ requestId: currentRequestId() }) }
  return destination ? pino(options, destination) : pino(options)
}
