import { defineError } from '#kernel/errors'

export const paginationKindUnknown = defineError(
  'PAGINATION_KIND_UNKNOWN',
  400,
  'Pagination kind is not supported',
  "Unknown pagination kind '{kind}'. Supported here: {kinds}",
  {
    when: '`page[kind]` names a pagination strategy that the endpoint does not offer.',
    example: { kind: 'scroll', kinds: 'page, cursor.' },
    source: { parameter: 'page[kind]' },
  },
)
