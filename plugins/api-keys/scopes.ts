import type { Principal } from '#kernel/plugin'
import type { StoredKey } from './key-table.ts'

/** The roles of each scope. */
export type Scopes = Readonly<Record<string, readonly string[]>>

/** The beginning of the identifier of every key. */
export const namespace = 'api-key:'

/** Returns the principal of a key. A scope that the application no longer has gives no role. */
export function toPrincipal({ id, scopes }: StoredKey, accepted: Scopes): Principal {
  const roles = scopes.flatMap((scope) => (Object.hasOwn(accepted, scope) ? (accepted[scope] ?? []) : []))
  return { identifier: `${namespace}${id}`, roles: [...new Set(roles)] }
}

export function unknownScopes(scopes: readonly string[], accepted: Scopes): string[] {
  return scopes.filter((scope) => !Object.hasOwn(accepted, scope))
}
