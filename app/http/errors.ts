import { defineError } from '#kernel/store'

export const hostInvalid = defineError(
  'HOST_INVALID',
  400,
  'Host is invalid',
  'The header {header} is missing, repeated or malformed. Accepted: {expected}.',
  {
    when: 'The request does not have exactly one `Host` of the form `host` or `host:port`, or a trusted proxy forwards an invalid host or scheme.',
    example: { header: 'Host', expected: 'one host name or address, with or without a port' },
    source: { header: 'Host' },
  },
)
export const hostNotAllowed = defineError(
  'HOST_NOT_ALLOWED',
  400,
  'Host is not allowed',
  "The host '{host}' is not a host of this service.",
  {
    when: 'The `Host` of the request is not in `ALLOWED_HOSTS`.',
    example: { host: 'elsewhere.example' },
    source: { header: 'Host' },
  },
)

/** For the catalogue of errors. */
export const httpErrors = [hostInvalid.definition, hostNotAllowed.definition]
