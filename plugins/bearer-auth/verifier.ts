import type { Awaitable, Hint, Principal } from '#kernel/plugin'
import { invalidToken } from './credentials.ts'

/** Returns the principal of a token, or throws 401 if the token is not valid. */
export type Verifier = (token: string) => Awaitable<Principal>

/** Creates the verifier for development: the token itself is the identifier, without any proof of identity. */
export function developmentVerifier(rolesByToken: Readonly<Record<string, readonly string[]>>): Verifier {
  const tokens = new Map(Object.entries(rolesByToken))
  return (identifier) => {
    const roles = tokens.get(identifier)
    if (!roles) throw invalidToken('The token is not a development token of this application.')
    return { identifier, roles }
  }
}

/** Returns the development tokens with their roles, for pages. */
export function tokenHints(rolesByToken: Readonly<Record<string, readonly string[]>> = {}): readonly Hint[] {
  const meanings = Object.entries(rolesByToken).map(([token, roles]) => [token, `roles: ${roles.join(', ') || 'none'}`])
  if (meanings.length === 0) return []
  const text = 'Accepted while no JWT key is configured. Send one as Authorization: Bearer <token>.'
  return [{ title: 'Development tokens', text, values: Object.fromEntries(meanings) }]
}
