import Koa from 'koa'
import { respondTextError } from './text-error.ts'

/** Creates the Koa instance. Of the addresses in X-Forwarded-For, `ctx.ip` is the one that the trusted proxy added. */
export function createKoa({ trustProxy }: { readonly trustProxy: boolean }): Koa {
  const koa = new Koa({ proxy: trustProxy, maxIpsCount: 1 })
  koa.context.onerror = respondTextError
  return koa
}
