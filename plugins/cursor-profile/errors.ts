import { defineError } from '#kernel'

export const cursorMalformed = defineError(
  'CURSOR_MALFORMED',
  400,
  'Cursor is malformed',
  'The cursor in {parameter} is not one of ours.',
)
export const cursorStale = defineError(
  'CURSOR_STALE',
  400,
  'Cursor is stale',
  'The cursor in {parameter} was made for another order than the one asked for.',
)
