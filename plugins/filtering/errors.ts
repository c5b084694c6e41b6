import { defineError } from '#kernel'

export const filteringUnrecognized = defineError(
  'FILTERING_UNRECOGNIZED',
  400,
  'Filtering parameter is unrecognized',
  "The filter '{filter}' is not known here.",
)
export const filterValueInvalid = defineError(
  'FILTER_VALUE_INVALID',
  400,
  'Filter value is invalid',
  "The value of the filter '{filter}' {reason}.",
)
