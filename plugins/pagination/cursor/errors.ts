import { defineError } from '#kernel/errors'

export const cursorMalformed = defineError(
  'CURSOR_MALFORMED',
  400,
  'Cursor is malformed',
  'The cursor in {parameter} is malformed. Send a cursor from a pagination link of this collection, unchanged.',
  {
    when: '`page[after]` or `page[before]` is not a cursor that this service created.',
    example: { parameter: 'page[after]' },
    source: { parameter: 'page[after]' },
  },
)
export const cursorStale = defineError(
  'CURSOR_STALE',
  400,
  'Cursor is stale',
  'The cursor in {parameter} belongs to another sort order. Start at the first page, or send the `sort` of its link.',
  {
    when: 'The cursor was created for another sort order than that of the request.',
    example: { parameter: 'page[after]' },
    source: { parameter: 'page[after]' },
  },
)
