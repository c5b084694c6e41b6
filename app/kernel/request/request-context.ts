import { AsyncLocalStorage } from 'node:async_hooks'
import type Koa from 'koa'
import type { Exchange } from '../contract/request.ts'

declare module 'koa' {
  interface DefaultState {
    /** Set when the router has matched the URL. */
    exchange?: Exchange
    /** Whether the response depends on the principal. */
    variesByPrincipal?: boolean
    /** Whether a response may have links with the host of the request; not if the request is rejected for its host. */
    isHostChecked?: boolean
    /** The bytes of its body that are held in memory. */
    bodyBytes?: number
    /** Part of all log lines and error objects of the request. */
    requestId?: string
    /** Added to the line of the request log. */
    logFields?: Readonly<Record<string, unknown>>
    /** Excludes the request from the request log, as health checks are. */
    unlogged?: boolean
    /** The limit that has rejected the request, for metrics. */
    refusedBy?: string
  }
}

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
