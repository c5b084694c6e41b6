import { AsyncLocalStorage } from 'node:async_hooks'
import type Koa from 'koa'

const contexts = new AsyncLocalStorage<Koa.Context>()

/** Runs work of a request, so that its log lines, statements and spans can be attributed to the request. */
export function runInRequest<T>(ctx: Koa.Context | undefined, work: () => T): T {
  return ctx ? contexts.run(ctx, work) : work()
}

/** The request that the current code runs for; undefined outside of requests. */
export function currentContext(): Koa.Context | undefined {
  return contexts.getStore()
}

/** Sets the id that all log lines and error objects of the request contain. */
export function setRequestId(ctx: Koa.Context, id: string): void {
  ctx.state.requestId = id
}

/** The id of the request that the current code runs for; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return contexts.getStore()?.state.requestId
}

/** Adds fields to the line of the request log, such as the tenant of the request. The fields of the line itself are kept. */
export function addLogFields(ctx: Koa.Context, fields: Readonly<Record<string, unknown>>): void {
  ctx.state.logFields = { ...ctx.state.logFields, ...fields }
}

export function logFieldsOf(ctx: Koa.Context): Readonly<Record<string, unknown>> | undefined {
  return ctx.state.logFields
}

/** Excludes a request from the request log, as health checks are. */
export function markUnlogged(ctx: Koa.Context): void {
  ctx.state.unlogged = true
}

export function isUnlogged(ctx: Koa.Context): boolean {
  return ctx.state.unlogged === true
}
