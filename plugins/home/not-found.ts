import type Koa from 'koa'

/** Names the page with all URLs in a 404 that no route has written. */
export function describeNotFound(home: string): Koa.Middleware {
  return (ctx, next) =>
    next().then(() => {
      const isUnwritten = ctx.status === 404 && ctx.body == null && ctx.respond !== false && !ctx.headerSent
      if (!isUnwritten) return
      ctx.status = 404 // Koa would set 200 with the body
      ctx.body = `Not Found. See ${home} for the URLs of this service.`
    })
}
