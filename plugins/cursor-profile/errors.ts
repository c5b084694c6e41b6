import { defineError } from '#kernel/plugin'

export const cursorMalformed = defineError(
  'CURSOR_MALFORMED',
  400,
  'Cursor is malformed',
  'The cursor in {parameter} is not one of ours.',
  {
    when: '`page[after]` or `page[before]` is not a cursor of this service.',
    example: { parameter: 'page[after]' },
    source: { parameter: 'page[after]' },
  },
)
export const cursorStale = defineError(
  'CURSOR_STALE',
  400,
  'Cursor is stale',
  'The cursor in {parameter} was made for another order than the one asked for.',
  {
    when: 'A cursor was made under another sort order than that of the request.',
    example: { parameter: 'page[after]' },
    source: { parameter: 'page[after]' },
  },
)
