import { AsyncLocalStorage } from 'node:async_hooks'
import type Koa from 'koa'

export const contexts = new AsyncLocalStorage<Koa.Context>()

/** Runs work of a request, so that its log lines, statements and spans can be attributed to the request. */
export function runInRequest<T>(ctx: Koa.Context | undefined, work: () => T): T {
  return ctx ? contexts.run(ctx, work) : work()
}

/** The request that the current code runs for; undefined outside of requests. */
export function currentContext(): Koa.Context | undefined {
  return contexts.getStore()
}

/** The id of the request that the current code runs for; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return contexts.getStore()?.state.requestId
}

/** Adds fields to the line of the request log, such as the tenant of the request. The fields of the line itself are kept. */
export function addLogFields(ctx: Koa.Context, fields: Readonly<Record<string, unknown>>): void {
  ctx.state.logFields = { ...ctx.state.logFields, ...fields }
}
