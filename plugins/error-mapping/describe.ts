import type { OpenApiDraft } from '#openapi'
import type { Exceptions } from './exceptions.ts'

/** Documents the statuses of declared exceptions, and the `Content-Language` header of errors. */
export function describeErrors({ operations, afterPlugins }: OpenApiDraft, exceptions: Exceptions): void {
  for (const operation of operations) {
    const typeExceptions = operation.type?.declaration.exceptions ?? []
    for (const [, status] of [...exceptions, ...typeExceptions]) operation.addErrors(status)
  }
  afterPlugins(() => {
    for (const { errorResponses } of operations) {
      for (const { headers } of errorResponses.values()) headers['Content-Language'] = language
    }
  })
}

const language = { description: 'The language of titles and details.', schema: { type: 'string', examples: ['en'] } }
