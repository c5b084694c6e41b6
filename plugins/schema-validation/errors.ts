import { defineError } from '#kernel/errors'

export const responseBodyInvalidJson = defineError(
  'RESPONSE_BODY_INVALID_JSON',
  500,
  'Response body is an invalid JSON document',
  'The server produced a response body that is not valid JSON.',
  { when: 'The server validates its responses (`SCHEMA_VALIDATION`), and a response body is not JSON.' },
)
export const responseBodyInvalidJsonApi = defineError(
  'RESPONSE_BODY_INVALID_JSON_API',
  500,
  'Response body is an invalid JSON:API document',
  'The server produced a response body that is not a JSON:API document: {reason}.',
  {
    when: 'The server validates its responses (`SCHEMA_VALIDATION`), and a response body breaks the structure of JSON:API. The pointer leads into that response body.',
    example: { reason: "'name' is not allowed here" },
    source: { pointer: '/data/name' },
  },
)
