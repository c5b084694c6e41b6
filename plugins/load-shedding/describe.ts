import type { OpenApiDraft } from '#kernel/plugin'

/** Describes the 503 that every operation may return. */
export function describeShedding({ operations, refer }: OpenApiDraft): void {
  for (const operation of operations) operation.fail(503).headers['Retry-After'] = refer('RetryAfter', 'headers')
}
