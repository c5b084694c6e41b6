import type { ErrorObject } from '../errors/errors.ts'
import type { JsonText } from '../lib/json-text.ts'

/** https://jsonapi.org/format/1.1/#document-structure; its resources are serialized already. */
export interface Document {
  data?: JsonText | null
  included?: JsonText
  errors?: readonly ErrorObject[]
  links?: Record<string, string>
  meta?: Record<string, unknown>
  jsonapi: { version: '1.1'; ext?: readonly string[]; profile?: readonly string[] }
  [extensionMember: string]: unknown
}
