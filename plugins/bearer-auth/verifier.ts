import type { Awaitable, Principal } from '#kernel/plugin'
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
