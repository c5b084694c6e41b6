import type { OpenApiDraft } from '#openapi'

/** Describes the 503 that every operation may return. */
export function describeShedding({ operations, refer }: OpenApiDraft): void {
  for (const operation of operations) operation.addErrors(503).headers['Retry-After'] = refer('RetryAfter', 'headers')
}
