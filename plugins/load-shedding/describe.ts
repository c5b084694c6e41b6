import type { OpenApiDraft } from '#openapi'

/** Anything may be refused for want of time. */
export function describeShedding({ operations, refer }: OpenApiDraft): void {
  for (const operation of operations) operation.fail(503).headers['Retry-After'] = refer('RetryAfter', 'headers')
}
