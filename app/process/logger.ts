import { type DestinationStream, type Logger, pino } from 'pino'
import { currentRequestId } from '#kernel/plugin'

/** Logs one JSON object per line, with the id of the current request. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, mixin: () => ({ requestId: currentRequestId() }) }
  return destination ? pino(options, destination) : pino(options)
}
