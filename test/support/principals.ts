import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'

/** The header of one who asks with a token of development. */
export function as(identifier: string): { readonly authorization: string } {
  return { authorization: `Bearer ${identifier}` }
}

/** The list of plugins, which takes these tokens in place of those of the demo. */
export function pluginsKnowing(...tokens: readonly string[]): readonly Plugin[] {
  const developmentTokens = Object.fromEntries(tokens.map((token) => [token, []]))
  return plugins.map((plugin) => (plugin.name === 'bearer-auth' ? bearerAuth({ developmentTokens }) : plugin))
}
