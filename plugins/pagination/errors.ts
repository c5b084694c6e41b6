import { defineError } from '#kernel/plugin'

export const paginationKindUnknown = defineError(
  'PAGINATION_KIND_UNKNOWN',
  400,
  'Pagination kind is not supported',
  "There are no pages of the kind '{kind}' here; there are {kinds}.",
  {
    when: '`page[kind]` names a way of paging that is not offered here.',
    example: { kind: 'scroll', kinds: "'page', 'cursor'" },
    source: { parameter: 'page[kind]' },
  },
)
