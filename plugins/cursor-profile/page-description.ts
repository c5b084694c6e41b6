import type { PageDescription } from '#kernel/plugin'
import { type PageOptions, sizeSchema } from '#plugins/pagination/index.ts'

/** What clients may send to a cursor paginator, and see of its pages. */
export function cursorDescription(options: Pick<PageOptions, 'size' | 'max'>): PageDescription {
  const cursor = { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }
  return {
    name: 'Cursor',
    parameters: {
      size: sizeSchema(options),
      after: { ...cursor, description: 'Items after this cursor, as a link gave it.' },
      before: { ...cursor, description: 'Items before this cursor, as a link gave it.' },
    },
    meta: {
      perPage: { type: 'integer', minimum: 0, description: 'Items per page.' },
      from: { type: 'string', description: 'The id of the first item.' },
      to: { type: 'string', description: 'The id of the last item.' },
      hasMore: { type: 'boolean', description: 'Whether there are items after these.' },
      rangeTruncated: { type: 'boolean', description: 'Between two cursors there are more items than these.' },
    },
  }
}
