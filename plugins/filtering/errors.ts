import { defineError } from '#kernel/plugin'

export const filteringUnrecognized = defineError(
  'FILTERING_UNRECOGNIZED',
  400,
  'Filtering parameter is unrecognized',
  "The filter '{filter}' is not known here.",
  {
    when: 'A filter is asked for that is not declared for the type or the relationship.',
    example: { filter: 'colour' },
    source: { parameter: 'filter[colour]' },
  },
)
export const filterValueInvalid = defineError(
  'FILTER_VALUE_INVALID',
  400,
  'Filter value is invalid',
  "The value of the filter '{filter}' {reason}.",
  {
    when: 'The value of a filter cannot be read as what the filter compares.',
    example: { filter: 'releasedAt', reason: 'must be a date' },
    source: { parameter: 'filter[releasedAt]' },
  },
)
