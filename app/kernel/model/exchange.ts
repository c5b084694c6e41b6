import type Koa from 'koa'
import type { App } from './app.ts'
import type { ApiRequest, Media } from './request.ts'
import type { ResourceType } from './resource-type.ts'
import type { Server } from './server.ts'

/** One HTTP request and its response. Each stage of the pipeline adds its result; an error may occur before any of them. */
export interface Exchange {
  readonly ctx: Koa.Context
  readonly app: App
  server?: Server
  /** The resource type in the URL. */
  type?: ResourceType
  media?: Media
  request?: ApiRequest
  /** The route is not a JSON:API endpoint; Koa responds to its errors as text. */
  plain?: boolean
  /** The extension that the route requires. */
  extension?: string | undefined
}
