import { defineError } from '#kernel'

export const paginationKindUnknown = defineError(
  'PAGINATION_KIND_UNKNOWN',
  400,
  'Pagination kind is not supported',
  "There are no pages of the kind '{kind}' here; there are {kinds}.",
)
