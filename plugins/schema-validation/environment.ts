import Joi from 'joi'
import type { App } from '#kernel/plugin'

export const environment: Joi.SchemaMap = {
  SCHEMA_VALIDATION: Joi.string().valid('off', 'requests', 'responses', 'both').default('off'),
}

export function covers({ config }: App, documents: 'requests' | 'responses'): boolean {
  const { SCHEMA_VALIDATION: checked } = config.variables
  return checked === documents || checked === 'both'
}
