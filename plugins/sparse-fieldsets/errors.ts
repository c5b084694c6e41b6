import { defineError } from '#kernel/errors'

export const fieldsetMemberUnrecognized = defineError(
  'FIELDSET_MEMBER_UNRECOGNIZED',
  400,
  'Fieldset member is unrecognized',
  "Resources of type '{type}' do not have these fields: {members}. Available: {available}",
  {
    when: '`fields[type]` names a field that the type does not have.',
    example: { type: 'albums', members: 'titel', available: "title, releasedAt. Did you mean 'title'?" },
    source: { parameter: 'fields[albums]' },
  },
)
