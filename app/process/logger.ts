import { type DestinationStream, type Logger, pino } from 'pino'
import { currentRequestId } from '#kernel/plugin'
import type { Config } from '../config.ts'
import { formatLogLine } from './log-line.ts'

/** Logs one JSON object or one line of text per entry, with the id of the current request. */
export function createLogger(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  destination: DestinationStream = pino.destination(1),
): Logger {
  const options = { level: logLevel, mixin: () => ({ requestId: currentRequestId() }) }
  const text = { write: (line: string) => destination.write(formatLogLine(line)) }
  return pino(options, logFormat === 'text' ? text : destination)
}
