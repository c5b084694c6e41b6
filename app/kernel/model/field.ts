import type { EntityClass } from '@mikro-orm/core'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Caller } from './principal.ts'
import type { EntityShape } from './provider.ts'
import type { ResourceType } from './resource-type.ts'
import type { Rule } from './restrictions.ts'

/** A row as the store read it: a plain object keyed by property name, only the columns that were asked for. */
export type Row = Record<string, unknown>

export type AttributeKind =
  | 'string'
  | 'email'
  | 'url'
  | 'uuid'
  | 'slug'
  | 'ip'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'dateTime'
  | 'date'
  | 'time'
  | 'map'
  | 'obj'
  | 'oneOf'
  | 'arrayList'
  | 'arrayHash'

/** What plugins note on a field with the words they add; each plugin merges its own members. */
export interface FieldOptions {}

interface FieldDefinition {
  readonly name: string
  readonly options: FieldOptions
  /** Every word said of it. */
  readonly words: string[]
  /** Words no plugin that is on understands: accepted and inert. */
  readonly inertWords: string[]
  /** The entity property behind the field; null when nothing is stored. */
  property: string | null
  hidden: Rule<[record: Row, caller: Caller | null]>
  /** Whether a requester may not know of the field; null when all may. Decided without a row. */
  hiddenFor: ((caller: Caller) => boolean) | null
  readOnlyOnCreate: Rule<[caller: Caller | null]>
  readOnlyOnUpdate: Rule<[caller: Caller | null]>
}

export interface Attribute extends FieldDefinition {
  readonly role: 'attribute'
  readonly kind: AttributeKind
  /** Of a map or an obj. */
  readonly children: readonly Attribute[]
  /** Of a oneOf: the member that selects a variant, and the members of each. */
  discriminator: string
  readonly variants: Map<string, readonly Attribute[]>
  /** Of a dateTime. */
  format: string | null
  timezone: string
  /** Of an arrayList or arrayHash: the order on the wire. */
  sorted: 'keys' | 'values' | null
  /** The to-one relations that lead to the object holding the value. */
  on: readonly string[] | null
  writeOnly: Rule<[caller: Caller | null]>
  /** Reads the raw value in place of the property; the cast of the kind still applies. */
  extract: ((record: Row, caller: Caller | null, name: string) => unknown) | null
  /** Reads the finished value: no cast. */
  serialize: ((record: Row, caller: Caller | null, name: string) => unknown) | null
  /** Makes the stored value from the sent one. */
  deserialize: ((value: unknown, data: Readonly<Record<string, unknown>>) => unknown) | null
  /** Writes the sent value to the entity. */
  fill:
    | ((entity: object, value: unknown, data: Readonly<Record<string, unknown>>, name: string) => Awaitable<void>)
    | null
  /** Properties the extractor reads; null means it may read the whole row. */
  needs: readonly string[] | null
}

/** The members of a map, an obj, or of all variants of a oneOf. */
export function childrenOf({ children, variants }: Attribute): readonly Attribute[] {
  return variants.size > 0 ? [...children, ...[...variants.values()].flat()] : children
}

export type RelationKind = 'belongsTo' | 'hasOne' | 'hasMany' | 'belongsToMany' | 'morphTo' | 'morphToMany'

export interface Relation extends FieldDefinition {
  readonly role: 'relation'
  readonly kind: RelationKind
  readonly toMany: boolean
  /** As declared; `targets` and `owner` are set when the registry is compiled. */
  readonly targetNames: readonly string[]
  segment: string
  linkage: 'always' | 'lazy'
  hasLinks: boolean
  hasRelatedEndpoint: boolean
  hasRelationshipEndpoint: boolean
  /** Of a morphToMany: the to-one of the association entity that leads to the members. */
  through: string | null
  /** Of a belongsToMany: the entity of the association rows, and what is shown of them. */
  pivotEntity: EntityClass<object> | null
  /** What the store knows of those rows; set when the registry is compiled. */
  pivotShape: EntityShape | null
  pivotFields: readonly Attribute[]
  /** How its members may not be changed by clients; the record is null while it is created. */
  cannotReplace: Rule<[record: object | null, caller: Caller | null]>
  cannotAdd: Rule<[record: object | null, caller: Caller | null]>
  cannotRemove: Rule<[record: object | null, caller: Caller | null]>
  /** Whether its members are shown is decided parent by parent: `beforeRelationLoad` leaves out those that may not. */
  guarded: boolean
  /** Members its linkage may have in a request, where they are more than the general limit. */
  maxMembers: number | null
  /** Meta of an identifier, where it stands in this relation. */
  identifierMeta: IdentifierMeta | null
  /** The name of the other side, for readers. */
  inverseType: string | null
  owner: ResourceType
  /** The types it may lead to; more than one only when it is polymorphic. */
  targets: readonly ResourceType[]
  /** The first of them: the only one, unless it is polymorphic. */
  target: ResourceType
}

export type IdentifierMeta = (parent: Row, related: Row, caller: Caller | null) => Record<string, unknown> | undefined

export function isPolymorphic({ kind }: Relation): boolean {
  return kind === 'morphTo' || kind === 'morphToMany'
}

/** The foreign key is the owner's own, so that a write of the owner changes it. */
export function isOwnerSide({ kind }: Relation): boolean {
  return kind === 'belongsTo' || kind === 'morphTo'
}

/** Foreign keys elsewhere lead to the owner, so that a new one has no members. */
export function isUnrelatedAtFirst(relation: Relation): boolean {
  return !isOwnerSide(relation) && !isPolymorphic(relation)
}

export interface Id {
  readonly role: 'id'
  readonly name: 'id'
  property: string
  clientId: 'forbidden' | 'allowed' | 'required'
  /** What an id on the wire looks like; null accepts any non-empty string. */
  format: RegExp | null
  /** A URL whose id does not match is no URL of this type. */
  route: RegExp | null
  /** Makes the storage key of a new resource, when the store does not. */
  generate: (() => unknown) | null
  /** Whether `generated()` was said, and which format could make ids by itself. */
  generated: boolean
  generator: (() => string) | null
  /** Another form on the wire than the storage key. */
  wire: WireId | null
}

/** `decode` returns null for what no key is written as. */
export interface WireId {
  // biome-ignore lint/suspicious/noExplicitAny: the key is of the entity's own type
  encode(key: any): string
  decode(wire: string): unknown
}

export type Field = Id | Attribute | Relation

export function createAttribute(kind: AttributeKind, name: string, children: readonly Attribute[] = []): Attribute {
  return {
    role: 'attribute',
    kind,
    name,
    children,
    property: kind === 'map' ? null : name,
    options: {},
    words: [],
    inertWords: [],
    hidden: false,
    hiddenFor: null,
    readOnlyOnCreate: false,
    readOnlyOnUpdate: false,
    writeOnly: false,
    discriminator: 'type',
    variants: new Map(),
    format: null,
    timezone: 'UTC',
    sorted: null,
    on: null,
    extract: null,
    serialize: null,
    deserialize: null,
    fill: null,
    needs: null,
  }
}

export function createRelation(kind: RelationKind, name: string, types: string | readonly string[]): Relation {
  const toMany = kind === 'hasMany' || kind === 'belongsToMany' || kind === 'morphToMany'
  return {
    role: 'relation',
    kind,
    name,
    toMany,
    targetNames: [types].flat(),
    segment: name,
    property: name,
    options: {},
    words: [],
    inertWords: [],
    hidden: false,
    hiddenFor: null,
    readOnlyOnCreate: false,
    readOnlyOnUpdate: false,
    linkage: kind === 'belongsTo' || kind === 'morphTo' ? 'always' : 'lazy',
    hasLinks: true,
    hasRelatedEndpoint: true,
    hasRelationshipEndpoint: true,
    through: null,
    pivotEntity: null,
    pivotShape: null,
    pivotFields: [],
    cannotReplace: false,
    cannotAdd: false,
    cannotRemove: false,
    guarded: false,
    maxMembers: null,
    identifierMeta: null,
    inverseType: null,
    owner: undefined as unknown as ResourceType,
    targets: [],
    target: undefined as unknown as ResourceType,
  }
}

export function createId(): Id {
  return {
    role: 'id',
    name: 'id',
    property: 'id',
    clientId: 'forbidden',
    format: null,
    route: null,
    generate: null,
    generated: false,
    generator: null,
    wire: null,
  }
}
