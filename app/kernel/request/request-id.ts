import { AsyncLocalStorage } from 'node:async_hooks'
import type Koa from 'koa'

const ids = new AsyncLocalStorage<string>()

/** Runs what answers a request; whatever it logs, at any depth, is known to be of this request. */
export function runWithRequestId<T>(ctx: Koa.Context, id: string, work: () => T): T {
  ctx.state.requestId = id
  return ids.run(id, work)
}

/** The same for what comes later, such as the answer to an error. */
export function restoreRequestId<T>(ctx: Koa.Context | undefined, work: () => T): T {
  const id = ctx && requestIdOf(ctx)
  return id === undefined ? work() : ids.run(id, work)
}

/** The id of the request, when somebody has given it one. */
export function requestIdOf(ctx: Koa.Context): string | undefined {
  return ctx.state.requestId
}

/** The id of the request that is being answered here; none outside of requests. */
export function currentRequestId(): string | undefined {
  return ids.getStore()
}

/** Keeps the request out of the log of requests: health checks would fill it. */
export function markUnlogged(ctx: Koa.Context): void {
  ctx.state.unlogged = true
}

export function isUnlogged(ctx: Koa.Context): boolean {
  return ctx.state.unlogged === true
}
