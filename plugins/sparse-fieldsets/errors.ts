import { defineError } from '#kernel'

export const fieldsetMemberUnrecognized = defineError(
  'FIELDSET_MEMBER_UNRECOGNIZED',
  400,
  'Fieldset member is unrecognized',
  "Resources of type '{type}' have no fields called {members}.",
)
