import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'

/** Returns the authorization header of a development token. */
export function as(identifier: string): { readonly authorization: string } {
  return { authorization: `Bearer ${identifier}` }
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
