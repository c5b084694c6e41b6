import { defineError } from '#kernel/errors'

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
