import type { JWTPayload } from 'jose'
import type { Principal } from '#kernel'

/** Reads the roles of Keycloak, `"realm_access": { "roles": ["editor"] }`. A claim of another form gives no roles. */
export function principalOf({ sub = '', realm_access: access }: JWTPayload): Principal {
  const { roles } = { ...(access as { roles?: unknown } | null) }
  return { identifier: sub, roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [] }
}
