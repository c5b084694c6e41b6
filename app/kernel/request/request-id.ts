import { AsyncLocalStorage } from 'node:async_hooks'
import type Koa from 'koa'

const ids = new AsyncLocalStorage<string>()

/** Runs the work of a request with its id, so that all log lines of the work carry the id. */
export function runWithRequestId<T>(ctx: Koa.Context, id: string, work: () => T): T {
  ctx.state.requestId = id
  return ids.run(id, work)
}

/** Runs later work of a request, such as its error response, with the id that the request has. */
export function restoreRequestId<T>(ctx: Koa.Context | undefined, work: () => T): T {
  const id = ctx && requestIdOf(ctx)
  return id === undefined ? work() : ids.run(id, work)
}

/** Undefined if no plugin has set an id. */
export function requestIdOf(ctx: Koa.Context): string | undefined {
  return ctx.state.requestId
}

/** The id of the request that the current code runs for; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return ids.getStore()
}

/** Excludes a request from the request log, as health checks are. */
export function markUnlogged(ctx: Koa.Context): void {
  ctx.state.unlogged = true
}

export function isUnlogged(ctx: Koa.Context): boolean {
  return ctx.state.unlogged === true
}
