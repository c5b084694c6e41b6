import { defineError } from '#kernel/errors'

export const relationshipCountNotAllowed = defineError(
  'RELATIONSHIP_COUNT_NOT_ALLOWED',
  400,
  'Relationship count is not allowed',
  'Cannot count {names}. Countable here: {countable}',
  {
    when: '`withCount` names a relationship that is not countable, or `_self_` where the collection is not countable.',
    example: { names: 'artist', countable: '_self_, tracks.' },
    source: { parameter: 'withCount' },
  },
)
