import type { RequestLimits } from './limits.ts'

export interface AppConfig {
  /** The maximal size of a request body in bytes. */
  readonly bodyLimit: number
  /** The maximal size in bytes of all request bodies that are held in memory; 0 is no limit. */
  readonly receivedLimit: number
  /** The maximal size in bytes of all responses that clients have not read; 0 is no limit. */
  readonly unreadLimit: number
  readonly limits: RequestLimits
  readonly timeouts: Timeouts
  /** Whether NODE_ENV is production: features for development refuse to start. */
  readonly production: boolean
  /** Whether responses contain error messages and stack traces. */
  readonly debug: boolean
  /** Whether X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-For are trusted. */
  readonly trustProxy: boolean
  /** Accepted Host headers in lower case, without a port for all ports; empty accepts any valid host. */
  readonly allowedHosts: readonly string[]
  readonly strictQueryParameters: boolean
  /** The validated environment variables of plugins by name. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Time-outs in milliseconds. */
interface Timeouts {
  /** Time to receive the request headers. */
  readonly headers: number
  /** Time to receive the whole request. */
  readonly request: number
  /** Time until an idle connection is closed. */
  readonly keepAlive: number
}
