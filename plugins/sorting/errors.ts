import { defineError } from '#kernel/plugin'

export const sortingUnrecognized = defineError(
  'SORTING_UNRECOGNIZED',
  400,
  'Sorting parameter is unrecognized',
  "Cannot sort resources of type '{type}' by '{parameter}'. Sortable: {sortable}",
  {
    when: '`sort` names a key that is not a sort of the resources.',
    example: { type: 'albums', parameter: 'tittle', sortable: "title, releasedAt. Did you mean 'title'?" },
    source: { parameter: 'sort' },
  },
)
export const sortingUnsupported = defineError(
  'SORTING_UNSUPPORTED',
  400,
  'Sorting is unsupported',
  "This request does not support 'sort': repeat it without the parameter.",
  { when: '`sort` is sent where the response cannot be sorted.', source: { parameter: 'sort' } },
)
