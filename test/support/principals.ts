import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'

/** Returns the authorization header of a development token. */
export function as(identifier: string): { readonly authorization: string } {
  return { authorization: `Bearer ${identifier}` }
}

/** Returns the authorization header of the first development token. Throws if there is none. */
export function asFirst(developmentTokens: Readonly<Record<string, unknown>>): { readonly authorization: string } {
  const [identifier] = Object.keys(developmentTokens)
  if (identifier !== undefined) return as(identifier)
  throw new Error(
    'This test sends a token: add one to developmentTokens in app/plugins.ts, or replace `token` with a header that your authentication accepts.',
  )
}

/** Returns the plugins of the project with these development tokens instead of those of the demo. */
export function pluginsWithTokens(...tokens: readonly string[]): readonly Plugin[] {
  return withTokens(plugins, ...tokens)
}

/** Returns the plugins with these development tokens. */
export function withTokens(list: readonly Plugin[], ...tokens: readonly string[]): readonly Plugin[] {
  const developmentTokens = Object.fromEntries(tokens.map((token) => [token, []]))
  return list.map((plugin) => (plugin.name === 'bearer-auth' ? bearerAuth({ developmentTokens }) : plugin))
}
