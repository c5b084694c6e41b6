import type { Awaitable, Principal } from '#kernel/plugin'
import { invalidToken } from './credentials.ts'

/** Tells whose token it is, or throws. */
export type Verifier = (token: string) => Awaitable<Principal>

/** For development: the token is the identifier, and nothing is proved. */
export function developmentVerifier(tokens: Readonly<Record<string, readonly string[]>>): Verifier {
  const roles = new Map(Object.entries(tokens))
  return (identifier) => {
    const own = roles.get(identifier)
    if (!own) throw invalidToken('The token is not known.')
    return { identifier, roles: own }
  }
}
