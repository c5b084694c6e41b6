import { defineError } from '#kernel/plugin'

export const relationshipCountNotAllowed = defineError(
  'RELATIONSHIP_COUNT_NOT_ALLOWED',
  400,
  'Relationship count is not allowed',
  'There is nothing to be counted here by the name of {names}.',
  {
    when: '`withCount` names something that cannot be counted.',
    example: { names: "'artist'" },
    source: { parameter: 'withCount' },
  },
)
