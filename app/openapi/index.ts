import type { ErrorDefinition } from '#kernel/errors'
import type { App, Attribute, OperationKind, Relation, ResourceType, Route, Server } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'

// The contract between the plugin `openapi`, which builds the OpenAPI document, and every plugin that describes its part
// of it. It lies outside of both, so that either can be deleted.

declare module '#kernel/plugin' {
  interface Plugin {
    /** Adds the plugin's part to the OpenAPI document. Called by the plugin `openapi`, once per server, in its `setup`. */
    describe?(draft: OpenApiDraft): void
  }
}

declare module '#kernel/queries' {
  interface Paginator {
    readonly description?: PageDescription
  }
}

/** The description of one server while plugins add to it. */
export interface OpenApiDraft {
  readonly app: App
  readonly server: Server
  /** The members beside `paths` and `components`: `info`, `security`, `tags`, extensions. */
  readonly head: Record<string, unknown>
  /** The operations of all types of the server, and the JSON:API routes of plugins. */
  readonly operations: readonly DescribedOperation[]
  /** Every member of every attributes object, once for each of `read`, `create` and `update` that has it. */
  readonly attributes: readonly DescribedAttribute[]
  /** The resource objects of responses. */
  readonly resources: readonly DescribedResource[]
  /** The relationship objects of resources. */
  readonly relationships: readonly DescribedRelationship[]
  /** The linkage of every relation, once per usage. */
  readonly linkages: readonly DescribedLinkage[]
  /** The documents of successful responses. */
  readonly documents: readonly DescribedDocument[]
  /** Adds a component under a name, unless it exists, and returns a reference to it. */
  component(name: string, make: () => object, section?: ComponentSection): Schema
  /** Returns a reference to a component, which may be added later. */
  refer(name: string, section?: ComponentSection): Schema
  /** Defers work until every plugin has described its part. The last plugin of the list runs first. */
  afterPlugins(work: () => void): void
  /** `catalog-exports` → `CatalogExports`; with members, `albums` and `status` → `AlbumsStatus`. */
  nameOf(type: ResourceType, ...members: readonly string[]): string
}

export type ComponentSection = 'schemas' | 'parameters' | 'responses' | 'headers' | 'securitySchemes'

/** JSON Schema 2020-12; lists the keywords that plugins read or change. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  properties?: Record<string, Schema | boolean>
  required?: readonly string[]
  items?: Schema
  [keyword: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly style?: 'form' | 'deepObject'
  readonly explode?: boolean
  readonly schema: Schema
  /** A value that the documentation page sends unless the reader changes it. */
  readonly example?: unknown
  readonly [extension: `x-${string}`]: unknown
}

export interface DescribedOperation {
  /** Null for the route of a plugin that runs no action. */
  readonly kind: OperationKind | null
  readonly route: Route | null
  readonly type: ResourceType | null
  readonly relation: Relation | null
  /** The types of the primary resources; empty if the response has identifiers or no data. */
  readonly shows: readonly ResourceType[]
  /** Types that `included` may contain. */
  readonly includable: Set<ResourceType>
  /** Null if the response is not a paginated collection. */
  paginator: Paginator | null
  /** The OpenAPI operation object. Its parameters and responses are filled from the members below. */
  readonly object: { operationId: string; summary: string; description: string } & Record<string, unknown>
  readonly parameters: (Parameter | Schema)[]
  /** The schema of the request body; null for none. */
  body: Schema | null
  /** The media types of a request body that is not a document. */
  rawBody: readonly string[]
  /** Whether an anonymous requester may send it, as far as this is known without a row; false if it is not known. */
  anonymous: boolean
  /**
   * Returns an example of the request body that the service accepts; undefined if there is none. Called after every plugin
   * has described its part.
   */
  example: (() => unknown) | null
  readonly successes: Map<number, DescribedSuccess>
  readonly errorResponses: Map<number, DescribedErrorResponse>
  /** Adds an error status and the errors it may carry; without errors, the error object has no code. */
  addErrors(status: number, ...errors: readonly ErrorDefinition[]): DescribedErrorResponse
}

export interface DescribedSuccess {
  description: string
  /** Undefined if the response has no body. */
  schema?: Schema
  /** Schemas of bodies that are no documents, by media type. */
  otherMedia?: Record<string, Schema>
  headers?: Record<string, Header>
}

export interface DescribedErrorResponse {
  readonly errors: Set<ErrorDefinition>
  readonly headers: Record<string, Header>
}

export type Header = { readonly description: string; readonly schema: Schema } | Schema

/** An attribute in a response, or in the body of a create or an update. */
export interface DescribedAttribute {
  readonly attribute: Attribute
  readonly type: ResourceType
  /** The relation of a pivot field; null for an attribute of a resource. */
  readonly relation: Relation | null
  readonly usage: 'read' | 'create' | 'update'
  /** The name for a component with the schema of its values. */
  readonly name: string
  /** Without null: see `nullable`. */
  schema: Schema
  nullable: boolean
  required: boolean
}

export interface DescribedResource {
  readonly type: ResourceType
  readonly schema: Schema
  /** The members its `meta` may have in addition to the declared ones. */
  readonly meta: Record<string, Schema>
}

export interface DescribedRelationship {
  readonly relation: Relation
  readonly schema: Schema
  /** Its links include pagination links. */
  paged: boolean
  /** The members its `meta` may have. */
  readonly meta: Record<string, Schema>
}

/** The linkage of a relation in the body of a create, an update, or a relationship write (`change`). */
export interface DescribedLinkage {
  readonly relation: Relation
  readonly usage: 'create' | 'update' | 'change'
  /** Whether a to-one may be null. */
  nullable: boolean
  required: boolean
}

export interface DescribedDocument {
  /** The name of its component. */
  readonly name: string
  readonly data: 'resource' | 'collection' | 'identifier' | 'identifiers' | 'nothing'
  /** The types of its primary data. */
  readonly types: readonly ResourceType[]
  readonly schema: Schema & { properties: Record<string, Schema | boolean> }
  /** The members its `meta` may have. */
  readonly meta: Record<string, Schema>
}

/** The query parameters that a paginator reads, and the members it shows. */
export interface PageDescription {
  /** The name of the component with the schema of `meta.page`. */
  readonly name: string
  /** The members of `page` by name. */
  readonly parameters: Readonly<Record<string, Schema>>
  /** The members of `meta.page` by name. */
  readonly meta: Readonly<Record<string, Schema>>
}

/** A query parameter whose value is a comma-separated list of the tokens. */
export function listParameter(name: string, description: string, tokens: readonly string[]): Parameter {
  return {
    name,
    in: 'query',
    description,
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', ...(tokens.length > 0 && { enum: [...tokens] }) } },
  }
}
