export interface OpenApiOptions {
  /** False: neither documents nor the page are served. */
  readonly enabled?: boolean
  /** One document per server, or one for all of them at the path of the first. */
  readonly mode?: 'perServer' | 'combined'
  readonly json?: { readonly path?: string }
  readonly ui?: { readonly enabled?: boolean; readonly path?: string }
  readonly info?: Info
  /** Where the service can be reached, in place of where the document came from. */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly security?: Security
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  /** Headings in the order in which they are listed; those that types need besides are added. */
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  /** Where the meaning of enum values stands: in the description, in extensions, or in both. */
  readonly enumValueDescriptions?: 'description' | 'extension' | 'both' | 'none'
  /** Every success document links to the OpenAPI document of its server. */
  readonly describedby?: boolean
  /** Those with the highest priority have the last word. */
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
  /** Names of schemes that are demanded unless an operation says otherwise. */
  readonly defaultRequirement?: readonly string[]
}

/** Has a say about the finished document of a server; returns another one, or changes the one it is given. */
export interface Decorator {
  readonly priority?: number
  decorate(document: OpenApiDocument, serverName: string): OpenApiDocument | undefined
}

/** As it is served. */
export interface OpenApiDocument {
  openapi: string
  info: Record<string, unknown>
  paths: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, unknown>>
  [member: string]: unknown
}
