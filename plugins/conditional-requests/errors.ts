import { defineError } from '#kernel/errors'

export const preconditionFailed = defineError(
  'PRECONDITION_FAILED',
  412,
  'Precondition failed',
  'Nothing was changed: {reason}.',
  {
    when: 'The resource has another version than `If-Match` or `meta.version` names, or `If-None-Match` matches it.',
    example: { reason: 'the resource has another version; read it again and send its new ETag in If-Match' },
    source: { header: 'If-Match' },
  },
)

export const preconditionRequired = defineError(
  'PRECONDITION_REQUIRED',
  428,
  'Precondition is required',
  "Writes of '{type}' need If-Match with the ETag of the resource, or '*'.",
  {
    when: 'The type declares `requireIfMatch`, and a write has neither `If-Match` nor `meta.version`.',
    example: { type: 'albums' },
    source: { header: 'If-Match' },
  },
)
