import type { Principal } from '../schema/principal.ts'
import type { Exchange } from './request.ts'

/** The state of an HTTP request, `ctx.state`. Plugins add their members by declaration merging. */
export interface RequestState {
  /** The authenticated requester. Null or undefined if it is anonymous. */
  principal?: Principal | null | undefined
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

declare module 'koa' {
  interface DefaultState extends RequestState {}
}
