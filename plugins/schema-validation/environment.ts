import Joi from 'joi'
import type { App } from '#kernel/plugin'

export const environment: Joi.SchemaMap = {
  SCHEMA_VALIDATION: Joi.string().valid('off', 'requests', 'responses', 'both').default('off'),
}

export function isEnabled({ config }: App, documents: 'requests' | 'responses'): boolean {
  const { SCHEMA_VALIDATION: mode } = config.variables
  return mode === documents || mode === 'both'
}
