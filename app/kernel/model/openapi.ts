import type { ErrorDefinition } from '../errors/errors.ts'
import type { App } from './app.ts'
import type { Attribute, Relation } from './field.ts'
import type { OperationKind } from './operation.ts'
import type { Route } from './plugin.ts'
import type { Paginator } from './query.ts'
import type { ResourceType } from './resource-type.ts'
import type { Server } from './server.ts'

// What a plugin is handed to describe its part of the OpenAPI document. Nothing here is served before all have spoken.

/** The description of one server, before it becomes a document. */
export interface OpenApiDraft {
  readonly app: App
  readonly server: Server
  /** What stands above paths and components: `info`, `security`, `tags`, extensions. */
  readonly head: Record<string, unknown>
  /** All that this server offers: of its types, and the JSON:API endpoints of plugins. */
  readonly operations: readonly DescribedOperation[]
  /** Every member of every attributes object, once per moment at which it is shown or taken. */
  readonly attributes: readonly DescribedAttribute[]
  /** The relationship objects of resources. */
  readonly relationships: readonly DescribedRelationship[]
  /** The linkage of every relation, once per moment at which it is taken. */
  readonly linkages: readonly DescribedLinkage[]
  /** The documents that answer a success. */
  readonly documents: readonly DescribedDocument[]
  /** Notes a component under its name, once, and returns the reference to it. */
  component(name: string, make: () => object, section?: ComponentSection): Schema
  /** The reference to a component that is there, or will be. */
  refer(name: string, section?: ComponentSection): Schema
  /** Work that depends on what other plugins say; that of the plugins at the end of the list is done first. */
  afterwards(work: () => void): void
  /** `catalog-exports` → `CatalogExports`; of a member, `albums` and `status` → `AlbumsStatus`. */
  nameOf(type: ResourceType, ...members: readonly string[]): string
}

export type ComponentSection = 'schemas' | 'parameters' | 'responses' | 'headers' | 'securitySchemes'

/** JSON Schema 2020-12, as far as it is looked into. */
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
  readonly [extension: `x-${string}`]: unknown
}

export interface DescribedOperation {
  /** Null at a plugin's own endpoint. */
  readonly kind: OperationKind | null
  readonly route: Route | null
  readonly type: ResourceType | null
  readonly relation: Relation | null
  /** The types of the resources that are primary data; none where identifiers or nothing is shown. */
  readonly shows: readonly ResourceType[]
  /** Further types that may stand in the document. */
  readonly includable: Set<ResourceType>
  /** How the collection it shows is divided. */
  paginator: Paginator | null
  /** What OpenAPI calls the operation object; parameters and responses are filled in from below. */
  readonly object: { operationId: string; summary: string; description: string } & Record<string, unknown>
  readonly parameters: (Parameter | Schema)[]
  /** What it must be sent. */
  body: Schema | null
  readonly successes: Map<number, DescribedSuccess>
  readonly failures: Map<number, DescribedFailure>
  /** Adds a status it may fail with, and the errors that may be told; without any, the error has no code. */
  fail(status: number, ...errors: readonly ErrorDefinition[]): DescribedFailure
}

export interface DescribedSuccess {
  description: string
  /** None when there is no body. */
  schema?: Schema
  headers?: Record<string, Header>
}

export interface DescribedFailure {
  readonly errors: Set<ErrorDefinition>
  readonly headers: Record<string, Header>
}

export type Header = { readonly description: string; readonly schema: Schema } | Schema

/** An attribute as it is shown, or as it is taken by a create or an update. */
export interface DescribedAttribute {
  readonly attribute: Attribute
  readonly type: ResourceType
  /** Of a pivot field, the relation whose association rows hold it. */
  readonly relation: Relation | null
  readonly moment: 'read' | 'create' | 'update'
  /** The name of a component made for its values. */
  readonly name: string
  /** Without null, which `nullable` stands for. */
  schema: Schema
  nullable: boolean
  required: boolean
}

export interface DescribedRelationship {
  readonly relation: Relation
  readonly schema: Schema
  /** Its links lead through its members, page by page. */
  paged: boolean
  /** What may stand in its meta. */
  readonly meta: Record<string, Schema>
}

/** The linkage of a relation as a create or an update takes it, or its own URL. */
export interface DescribedLinkage {
  readonly relation: Relation
  readonly moment: 'create' | 'update' | 'change'
  /** Of a to-one: whether it may be emptied. */
  nullable: boolean
  required: boolean
}

export interface DescribedDocument {
  /** That of its component. */
  readonly name: string
  readonly data: 'resource' | 'collection' | 'identifier' | 'identifiers' | 'nothing'
  /** The types of its primary data. */
  readonly types: readonly ResourceType[]
  readonly schema: Schema & { properties: Record<string, Schema | boolean> }
  /** What may stand in its meta. */
  readonly meta: Record<string, Schema>
}

/** A parameter that is a comma list of known tokens. */
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
