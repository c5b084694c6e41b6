import { defineError } from '#kernel/plugin'

export const responseBodyInvalidJson = defineError(
  'RESPONSE_BODY_INVALID_JSON',
  500,
  'Response body is an invalid JSON document',
  'The answer of the server cannot be read as JSON.',
  { when: 'The server checks its own answers (`SCHEMA_VALIDATION`), and one of them is not JSON.' },
)
export const responseBodyInvalidJsonApi = defineError(
  'RESPONSE_BODY_INVALID_JSON_API',
  500,
  'Response body is an invalid JSON:API document',
  'The answer of the server is not a JSON:API document: {reason}.',
  {
    when: 'The server checks its own answers (`SCHEMA_VALIDATION`), and a part of one has another shape than JSON:API gives it. The pointer leads into that answer.',
    example: { reason: "'name' cannot stand here" },
    source: { pointer: '/data/name' },
  },
)
