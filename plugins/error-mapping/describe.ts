import type { OpenApiDraft } from '#openapi'
import type { Exceptions } from './exceptions.ts'

/** Statuses of the application's own errors, and the language errors speak. */
export function describeErrors({ operations, afterwards }: OpenApiDraft, exceptions: Exceptions): void {
  for (const operation of operations) {
    const own = operation.type?.declaration.exceptions ?? []
    for (const [, status] of [...exceptions, ...own]) operation.fail(status)
  }
  afterwards(() => {
    for (const { failures } of operations) {
      for (const { headers } of failures.values()) headers['Content-Language'] = language
    }
  })
}

const language = { description: 'The language of titles and details.', schema: { type: 'string', examples: ['en'] } }
