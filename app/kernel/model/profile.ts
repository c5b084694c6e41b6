import type { Awaitable } from '../lib/awaitable.ts'
import type { Document } from './document.ts'
import type { ReadParameter } from './plugin.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'

/** A profile of a server's own: https://jsonapi.org/format/1.1/#profiles. It is applied when a client asks for it. */
export interface Profile {
  readonly uri: string
  /** Query families it defines; they are known whether or not the client asked for the profile. */
  readonly parameters?: Readonly<Record<string, ReadParameter>>
  /** The document is built, nothing is sent. */
  apply?(document: Document, request: ApiRequest, response: ApiResponse): Awaitable<void>
}
