import { defineError } from '#kernel'

export const sortingUnrecognized = defineError(
  'SORTING_UNRECOGNIZED',
  400,
  'Sorting parameter is unrecognized',
  "Resources of type '{type}' cannot be sorted by '{parameter}'.",
)
export const sortingUnsupported = defineError(
  'SORTING_UNSUPPORTED',
  400,
  'Sorting is unsupported',
  'The answer to this request cannot be sorted.',
)
