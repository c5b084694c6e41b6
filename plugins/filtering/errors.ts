import { defineError } from '#kernel/errors'

export const filteringUnrecognized = defineError(
  'FILTERING_UNRECOGNIZED',
  400,
  'Filtering parameter is unrecognized',
  "Cannot filter by '{filter}'. Filters here: {accepted}",
  {
    when: 'The type or the relationship does not declare the filter, or it is not available to the caller.',
    example: { filter: 'titel', accepted: "genre, title. Did you mean 'title'?" },
    source: { parameter: 'filter[titel]' },
  },
)
export const filterValueInvalid = defineError(
  'FILTER_VALUE_INVALID',
  400,
  'Filter value is invalid',
  "The value of the filter '{filter}' {reason}.",
  {
    when: 'The value of a filter violates a rule of the filter, or its column cannot hold it.',
    example: { filter: 'rating[min]', reason: "cannot be 'high'; accepted: a number, for example 12.5" },
    source: { parameter: 'filter[rating]' },
  },
)
