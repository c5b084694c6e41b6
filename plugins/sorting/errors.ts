import { defineError } from '#kernel/plugin'

export const sortingUnrecognized = defineError(
  'SORTING_UNRECOGNIZED',
  400,
  'Sorting parameter is unrecognized',
  "Resources of type '{type}' cannot be sorted by '{parameter}'.",
  {
    when: '`sort` names something that the resources cannot be sorted by.',
    example: { type: 'albums', parameter: 'colour' },
    source: { parameter: 'sort' },
  },
)
export const sortingUnsupported = defineError(
  'SORTING_UNSUPPORTED',
  400,
  'Sorting is unsupported',
  'The answer to this request cannot be sorted.',
  { when: '`sort` is given where nothing can be sorted.', source: { parameter: 'sort' } },
)
