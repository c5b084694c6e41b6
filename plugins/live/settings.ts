import Joi from 'joi'
import type { App } from '#kernel/plugin'

export const environment = {
  LIVE_STREAMS: Joi.number().integer().min(1).default(1_000),
  LIVE_STREAMS_PER_PRINCIPAL: Joi.number().integer().min(1).default(20),
  LIVE_ROWS: Joi.number().integer().min(1).max(10_000).default(1_000),
  LIVE_RECHECK_SECONDS: Joi.number().integer().min(1).max(3_600).default(10),
  LIVE_READS: Joi.number()
    .integer()
    .min(1)
    .default(({ DATABASE_POOL_SIZE }) => Math.max(1, Math.floor(DATABASE_POOL_SIZE / 2))),
}

export interface Settings {
  /** Streams of one process. */
  readonly streams: number
  /** Streams of one principal, or of one address without a principal, in one process. */
  readonly perPrincipal: number
  /** Resources of one stream. */
  readonly rows: number
  /** Seconds between two reads of the whole collection. */
  readonly recheck: number
  /** Collections that are read at the same time: each read has a connection, and requests need the others. */
  readonly reads: number
}

export function readSettings({ config: { variables } }: Pick<App, 'config'>): Settings {
  return {
    streams: Number(variables.LIVE_STREAMS),
    perPrincipal: Number(variables.LIVE_STREAMS_PER_PRINCIPAL),
    rows: Number(variables.LIVE_ROWS),
    recheck: Number(variables.LIVE_RECHECK_SECONDS),
    reads: Number(variables.LIVE_READS),
  }
}
