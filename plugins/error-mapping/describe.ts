import type { OpenApiDraft, OperationKind } from '#kernel'
import type { Exceptions } from './exceptions.ts'

/** Statuses of the application's own errors, and the language errors speak. */
export function describeErrors({ operations, afterwards }: OpenApiDraft, exceptions: Exceptions): void {
  for (const operation of operations) {
    const own = operation.type?.declaration.exceptions ?? []
    const writes = operation.kind === null || !reads.has(operation.kind)
    for (const [, status] of writes ? [...exceptions, ...own] : exceptions) operation.fail(status)
  }
  afterwards(() => {
    for (const { failures } of operations) {
      for (const { headers } of failures.values()) headers['Content-Language'] = language
    }
  })
}

const reads = new Set<OperationKind>(['FetchCollection', 'FetchOne', 'FetchRelated', 'FetchRelationship'])
const language = { description: 'The language of titles and details.', schema: { type: 'string', examples: ['en'] } }
