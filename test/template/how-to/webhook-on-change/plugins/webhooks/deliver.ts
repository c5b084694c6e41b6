import { createHmac } from 'node:crypto'
import type { Job } from '#jobs'
import type { App } from '#kernel/plugin'

export interface WebhookVariables {
  readonly WEBHOOK_URL?: string
  readonly WEBHOOK_SECRET?: string
}

/** Milliseconds until an attempt fails. */
const timeout = 10_000

/** Sends one event. Throws if the receiver does not answer with 2xx: the job is retried. */
export async function deliver({ id, data, attempt, signal }: Job, { config, logger }: App): Promise<void> {
  const { WEBHOOK_URL: url = '', WEBHOOK_SECRET: secret = '' } = config.variables as WebhookVariables
  const body = JSON.stringify(data)
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'Content-Type': 'application/json',
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': `v1,${signatureOf(`${id}.${timestamp}.${body}`, secret)}`,
  }
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    const response = await fetch(url, { method: 'POST', redirect: 'error', signal: limit, headers, body })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver returned ${response.status}.`)
  } catch (error) {
    logger?.warn(
      { err: error, id, attempt },
      'A webhook was not delivered; it is retried until its attempts are used up',
    )
    throw error
  }
}

export function signatureOf(signed: string, secret: string): string {
  return createHmac('sha256', secret).update(signed).digest('base64')
}
