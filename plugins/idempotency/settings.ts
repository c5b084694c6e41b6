import Joi from 'joi'
import type { App } from '#kernel/plugin'

export const environment = {
  IDEMPOTENCY_RETENTION_SECONDS: Joi.number().integer().min(1).max(2_147_483_647).default(86_400),
  IDEMPOTENCY_RESPONSE_BYTES: Joi.number().integer().min(0).max(2_147_483_647).default(1_048_576),
  IDEMPOTENCY_PRINCIPAL_BYTES: Joi.number().integer().min(0).default(134_217_728),
  IDEMPOTENCY_TOTAL_BYTES: Joi.number().integer().min(0).default(1_073_741_824),
}

export interface Settings {
  /** Seconds for which a response is stored. */
  readonly retention: number
  /** The maximum size of a stored response in bytes. */
  readonly responseBytes: number
  /** The maximum size of the stored responses of one principal in bytes. */
  readonly principalBytes: number
  /** The maximum size of all stored responses in bytes. */
  readonly totalBytes: number
}

/** Reads the variables; 0 bytes is no limit. */
export function readSettings({ config: { variables } }: App): Settings {
  return {
    retention: Number(variables.IDEMPOTENCY_RETENTION_SECONDS),
    responseBytes: Number(variables.IDEMPOTENCY_RESPONSE_BYTES) || Number.POSITIVE_INFINITY,
    principalBytes: Number(variables.IDEMPOTENCY_PRINCIPAL_BYTES) || Number.POSITIVE_INFINITY,
    totalBytes: Number(variables.IDEMPOTENCY_TOTAL_BYTES) || Number.POSITIVE_INFINITY,
  }
}
