import { defineError } from '#kernel/errors'

export const actionNotFound = defineError(
  'ACTION_NOT_FOUND',
  404,
  'Action not found',
  "'{type}' has no action '{action}' here. Actions: {accepted}",
  {
    when: 'The URL ends with the name of an action that the type does not have, or has for resources instead of the collection, or the other way round.',
    example: { type: 'albums', action: 'reisue', accepted: "reissue. Did you mean 'reissue'?" },
  },
)
