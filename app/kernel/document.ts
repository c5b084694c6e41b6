/** https://jsonapi.org/format/1.1/#document-structure */
export interface Document {
  data?: unknown
  included?: readonly ResourceObject[]
  errors?: readonly unknown[]
  links?: Record<string, string>
  meta?: Record<string, unknown>
  jsonapi: { version: '1.1'; ext?: readonly string[]; profile?: readonly string[] }
  [extensionMember: string]: unknown
}

export interface ResourceObject {
  readonly type: string
  readonly id: string
  meta?: Record<string, unknown>
  links?: Record<string, string>
  attributes?: Record<string, unknown>
  relationships?: Record<string, RelationshipObject>
}

export interface RelationshipObject {
  links?: Record<string, string>
  data?: IdentifierObject | readonly IdentifierObject[] | null
  meta?: Record<string, unknown>
}

export interface IdentifierObject {
  readonly type: string
  readonly id: string
  readonly meta?: Record<string, unknown>
}
