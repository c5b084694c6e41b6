import type { RequestLimits } from './limits.ts'

export interface AppConfig {
  /** The largest request body, in bytes. */
  readonly bodyLimit: number
  /** The budget of one request. */
  readonly limits: RequestLimits
  /** For slow clients. */
  readonly timeouts: Timeouts
  /** The environment is production: what is only for development is refused. */
  readonly production: boolean
  /** Error details and traces in answers. */
  readonly debug: boolean
  /** Believe X-Forwarded-Proto and X-Forwarded-Host. */
  readonly trustProxy: boolean
  /** Hosts a request may name, in lower case, without a port for all ports; empty means any valid one. */
  readonly allowedHosts: readonly string[]
  readonly strictQueryParameters: boolean
  /** The environment variables of plugins, read and checked, by name. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** In milliseconds. */
export interface Timeouts {
  /** How long a client may take to send its headers. */
  readonly headers: number
  /** And its whole request. */
  readonly request: number
  /** How long a connection on which nothing is asked is kept. */
  readonly keepAlive: number
}
