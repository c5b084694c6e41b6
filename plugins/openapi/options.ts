export interface OpenApiOptions {
  /** False serves neither documents nor the page. */
  readonly enabled?: boolean
  /** One document per server, or one for all servers at the path of the default server. */
  readonly mode?: 'perServer' | 'combined'
  readonly json?: { readonly path?: string }
  readonly ui?: { readonly enabled?: boolean; readonly path?: string }
  readonly info?: Info
  /** The URLs of the service; default: relative to the document. */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly security?: Security
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  /** Tags in their order. Other tags of types are appended. */
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  /** Where descriptions of enum values are written: the description, extensions, or both. */
  readonly enumValueDescriptions?: 'description' | 'extension' | 'both' | 'none'
  /** How `page` is described: one object, or one parameter per member, such as `page[number]`. */
  readonly pageParameters?: 'object' | 'flat'
  /** Whether documents of successful responses link to the OpenAPI document. */
  readonly describedby?: boolean
  /** The decorator with the highest priority runs last. */
  readonly decorators?: readonly Decorator[]
}

export interface Info {
  readonly title?: string
  readonly version?: string
  readonly description?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly url?: string; readonly identifier?: string }
}

export interface Security {
  readonly schemes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The default security schemes of operations. */
  readonly defaultRequirement?: readonly string[]
}

/** Changes the finished document of a server, or returns another one. */
export interface Decorator {
  readonly priority?: number
  decorate(document: OpenApiDocument, serverName: string): OpenApiDocument | undefined
}

/** The part of a document that describes requests and responses. */
export type OpenApiOperations = Pick<OpenApiDocument, 'paths' | 'components'>

/** The document that is served. */
export interface OpenApiDocument {
  openapi: string
  info: Record<string, unknown>
  paths: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, unknown>>
  [member: string]: unknown
}
