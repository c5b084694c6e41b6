import { defineError } from '#kernel/errors'

export const apiKeyScopeUnknown = defineError(
  'API_KEY_SCOPE_UNKNOWN',
  422,
  'Scope is unknown',
  'Unknown: {scopes}. Scopes: {accepted}',
  {
    when: 'An API key is created or changed with a scope that the plugin `api-keys` does not define.',
    example: { scopes: ['write'], accepted: 'admin, user.' },
    source: { pointer: '/data/attributes/scopes' },
  },
)
