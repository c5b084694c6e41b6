import { defineError, type ErrorSource } from '#kernel/errors'

const source: ErrorSource = { header: 'Idempotency-Key' }

export const idempotencyKeyInvalid = defineError(
  'IDEMPOTENCY_KEY_INVALID',
  400,
  'Idempotency key is invalid',
  'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
  { when: 'The header `Idempotency-Key` is empty, too long, sent twice, or has other characters.', source },
)
export const idempotencyKeyRequired = defineError(
  'IDEMPOTENCY_KEY_REQUIRED',
  400,
  'Idempotency key is required',
  "Writes of '{type}' need the header Idempotency-Key: 1 to 255 visible ASCII characters, such as a random UUID.",
  {
    when: 'The type declares `requireIdempotencyKey`, and the write has no `Idempotency-Key`.',
    example: { type: 'orders' },
    source,
  },
)
export const idempotencyKeyNotAccepted = defineError(
  'IDEMPOTENCY_KEY_NOT_ACCEPTED',
  400,
  'Idempotency key is not accepted',
  "The response to this write of '{type}' shows a secret once, and is not stored with a key. Send the write in a request without Idempotency-Key.",
  {
    when: 'The response to the write, or to an operation of the batch, shows a secret once, such as a new API key.',
    example: { type: 'api-keys' },
    source,
  },
)
export const idempotencyKeyReused = defineError(
  'IDEMPOTENCY_KEY_REUSED',
  422,
  'Idempotency key was used for another request',
  'The key was used for a request with another body, query string or Accept header. Send a new key with a new request.',
  { when: 'The same key was sent to the same URL with another request.', source },
)
export const idempotencyKeyInUse = defineError(
  'IDEMPOTENCY_KEY_IN_USE',
  409,
  'Idempotency key is in use',
  'A request with this key is still being processed. Repeat the request after the seconds in Retry-After.',
  { when: 'A request with the same key has not been answered yet.', source },
)
export const idempotentResponseTooLarge = defineError(
  'IDEMPOTENT_RESPONSE_TOO_LARGE',
  400,
  'Response is too large for an idempotency key',
  'The response has {bytes} bytes, and at most {limit} are stored with a key. Request fewer fields, includes or operations, or send no Idempotency-Key.',
  {
    when: 'The response of a write with an `Idempotency-Key` exceeds `IDEMPOTENCY_RESPONSE_BYTES`. The write is rolled back.',
    example: { bytes: 1_500_000, limit: 1_048_576 },
    source,
  },
)

/** The errors that the plugin adds to the catalogue. */
export const idempotencyErrors = [
  idempotencyKeyInvalid,
  idempotencyKeyRequired,
  idempotencyKeyNotAccepted,
  idempotencyKeyReused,
  idempotencyKeyInUse,
  idempotentResponseTooLarge,
]

export { source as keySource }
