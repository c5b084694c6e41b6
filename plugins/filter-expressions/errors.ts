import { defineError } from '#kernel/errors'

export const filterExpressionInvalid = defineError(
  'FILTER_EXPRESSION_INVALID',
  400,
  'Filter expression is invalid',
  "The expression of '{filter}' is invalid at character {character}: {reason}",
  {
    when: 'The value of `filter[where]` is not an expression, or an operator does not apply to its attribute or relation.',
    example: { filter: 'where', character: 14, reason: "expected ')'." },
    source: { parameter: 'filter[where]' },
  },
)
export const filterExpressionNameUnrecognized = defineError(
  'FILTER_EXPRESSION_NAME_UNRECOGNIZED',
  400,
  'Name in a filter expression is unrecognized',
  "'{name}' at character {character} is not {what} of type '{type}' that '{filter}' accepts. Accepted: {accepted}",
  {
    when: 'An expression names an attribute or a relation that is not declared with `filterable()`, or that is hidden from the requester.',
    example: {
      name: 'titel',
      character: 4,
      what: 'an attribute',
      type: 'albums',
      filter: 'where',
      accepted: "id, title. Did you mean 'title'?",
    },
    source: { parameter: 'filter[where]' },
  },
)
