import Joi from 'joi'
import type { App } from '#kernel/plugin'

export const environment = {
  CHANGE_LOG_DAYS: Joi.number().integer().min(1).max(36_500).default(30),
  HISTORY_DAYS: Joi.number().integer().min(0).max(36_500).default(0),
}

export interface Settings {
  /** Days for which changes are kept. */
  readonly days: number
  /** Days for which changes of types with `history: true` are kept. 0 is forever. */
  readonly historyDays: number
}

export function readSettings({ config: { variables } }: Pick<App, 'config'>): Settings {
  return { days: Number(variables.CHANGE_LOG_DAYS), historyDays: Number(variables.HISTORY_DAYS) }
}
