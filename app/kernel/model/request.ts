import type Koa from 'koa'
import type { App } from './app.ts'
import type { Deadline } from './deadline.ts'
import type { Caller } from './principal.ts'
import type { ResourceType } from './resource-type.ts'
import type { Server } from './server.ts'
import type { Target } from './target.ts'

/** What content negotiation settled. */
export interface Media {
  /** The extension of the endpoint, applied to this exchange. */
  readonly extension: string | null
  /** Registered profiles the client asked for in Accept. */
  readonly profiles: ReadonlySet<string>
}

export interface RequestUrl {
  /** Where the server's resources begin, without a trailing slash. */
  readonly base: string
  /** The path under the base. */
  readonly path: string
  /** The query string as sent, without '?'. */
  readonly search: string
}

/** A parsed and negotiated HTTP request. Functions of resource authors receive it as a `Caller`. */
export interface ApiRequest extends Caller {
  readonly app: App
  readonly ctx: Koa.Context
  readonly server: Server
  /** Null on a URL that is not a resource's. */
  readonly target: Target | null
  readonly media: Media
  readonly url: RequestUrl
  readonly body: unknown
  /** Profiles the answer makes use of. */
  readonly appliedProfiles: Set<string>
  /** Null when there is no limit. */
  readonly deadline: Deadline | null
  /** Where the operation at work stands in the body, when there are several: what is thrown meanwhile points there. */
  place: string
  /** The type of the operation that runs, when there are several. */
  operationType: ResourceType | null
}

export function selfUrl({ base, path, search }: RequestUrl): string {
  return base + path + (search && `?${search}`)
}
