import type { PageDescription } from '#openapi'
import type { PageOptions } from '../page.ts'
import { sizeSchema } from '../page-descriptions.ts'

/** Describes the `page` parameters and page meta of cursor pagination for OpenAPI. */
export function cursorDescription(options: Pick<PageOptions, 'size' | 'max'>): PageDescription {
  const cursor = { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }
  return {
    name: 'Cursor',
    parameters: {
      size: sizeSchema(options),
      after: { ...cursor, description: 'Returns the items after this cursor. Cursors come from pagination links.' },
      before: { ...cursor, description: 'Returns the items before this cursor. Cursors come from pagination links.' },
    },
    meta: {
      perPage: { type: 'integer', minimum: 0, description: 'Items per page.' },
      from: { type: 'string', description: 'The id of the first item.' },
      to: { type: 'string', description: 'The id of the last item.' },
      hasMore: { type: 'boolean', description: 'True if there are items after this page.' },
      rangeTruncated: {
        type: 'boolean',
        description: 'True if the range between both cursors has more items than the page.',
      },
    },
  }
}
