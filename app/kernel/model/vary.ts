import type Koa from 'koa'

/** Marks the response as dependent on the principal: see `restrictCaching`. */
export function markVariesByPrincipal(ctx: Koa.Context): void {
  if (ctx.state.variesByPrincipal) return
  ctx.state.variesByPrincipal = true
  ctx.vary('Authorization')
}

/**
 * Adds `Vary: Authorization` to a response that depends on the principal, and makes it `private`, because a shared cache
 * would serve it to other clients. Runs last, so that no plugin or middleware can undo it.
 */
export function restrictCaching(ctx: Koa.Context): void {
  if (!ctx.state.variesByPrincipal) return
  ctx.vary('Authorization')
  const header = ctx.response.get('Cache-Control')
  if (/\b(public|s-maxage)\b/i.test(header)) ctx.set('Cache-Control', toPrivate(header))
}

/** Removes the directives that allow shared caches. */
function toPrivate(header: string): string {
  const directives = header.split(',').map((directive) => directive.trim())
  const kept = directives.filter((directive) => !/^(public|private|s-maxage=.*)$/i.test(directive))
  return ['private', ...kept].join(', ')
}
