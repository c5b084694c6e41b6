import type Joi from 'joi'
import type { Awaitable } from '../lib/awaitable.ts'
import type { EntityShape } from './entity-shape.ts'
import type { EntityClass } from './entity-types.ts'
import type { Caller } from './principal.ts'
import type { ResourceType } from './resource-type.ts'
import type { Rule } from './restrictions.ts'

/** A row as the store returns it: a plain object with the selected columns, keyed by property name. */
export type Row = Record<string, unknown>

/** The kinds of attributes without children. */
export const scalarKinds = [
  'string',
  'email',
  'url',
  'uuid',
  'slug',
  'ip',
  'integer',
  'decimal',
  'boolean',
  'dateTime',
  'date',
  'time',
  'oneOf',
  'arrayList',
  'arrayHash',
] as const
export type ScalarKind = (typeof scalarKinds)[number]
export type AttributeKind = ScalarKind | 'map' | 'obj'

export const relationKinds = ['belongsTo', 'hasOne', 'hasMany', 'belongsToMany', 'morphTo', 'morphToMany'] as const
export type RelationKind = (typeof relationKinds)[number]

/** Data that plugins store on a field with their modifiers; each plugin adds members by declaration merging. */
export interface FieldOptions {}

/** A call of a modifier that no enabled plugin implements. */
interface IgnoredModifier {
  readonly name: string
  readonly args: readonly unknown[]
}

export interface FieldDefinition {
  readonly name: string
  readonly options: FieldOptions
  /** Every modifier that the declaration calls. */
  readonly modifiers: string[]
  /** Modifiers of the declaration that no enabled plugin implements. They have no effect. */
  readonly ignoredModifiers: IgnoredModifier[]
  /** Sentences about arguments of modifiers that do not have their form. Those modifiers have no effect. */
  readonly faults: string[]
  /** The entity property of the field; null if nothing is stored. */
  property: string | null
  hidden: Rule<[record: Row, caller: Caller | null]>
  /** Whether the field is hidden from a requester; null if it is hidden from none. Decided without a row. */
  hiddenFor: ((caller: Caller) => boolean) | null
  readOnlyOnCreate: Rule<[caller: Caller | null]>
  readOnlyOnUpdate: Rule<[caller: Caller | null]>
}

export interface Attribute extends FieldDefinition {
  readonly role: 'attribute'
  readonly kind: AttributeKind
  /** Members of a `map` or an `obj`. */
  readonly children: readonly Attribute[]
  /** Whether an `obj` is an embeddable: its members have the values of an entity. If not, they are one JSON value. */
  embedded: boolean
  /** The member of a `oneOf` that selects the variant, and the members of each variant. */
  discriminator: string
  readonly variants: Map<string, readonly Attribute[]>
  /** The values that writes accept; null for any of the kind. A plugin sets it. */
  values: readonly (string | number)[] | null
  /** Of a `dateTime`. */
  format: string | null
  timezone: string
  /** Whether a `date` or a `dateTime` may be `infinity` or `-infinity`. */
  infinite: boolean
  /** Whether the column of a `time` keeps fractions of a second. Set when the type is compiled. */
  fractional: boolean
  /** The order of an `arrayList` or `arrayHash` on the wire. */
  sorted: 'keys' | 'values' | null
  /** The path of to-one relations to the object that holds the value. */
  on: readonly string[] | null
  writeOnly: Rule<[caller: Caller | null]>
  /** Returns the stored value instead of the property. The codec of the kind still applies. */
  extract: ((record: Row, caller: Caller | null, name: string) => unknown) | null
  /** Returns the JSON value, without the codec of the kind. */
  serialize: ((record: Row, caller: Caller | null, name: string) => unknown) | null
  deserialize: ((value: unknown, data: Readonly<Record<string, unknown>>) => unknown) | null
  fill:
    | ((entity: object, value: unknown, data: Readonly<Record<string, unknown>>, name: string) => Awaitable<void>)
    | null
  /** The properties that `extract` and `serialize` read; null for the whole row. */
  needs: readonly string[] | null
}

/** The members of a `map`, an `obj`, or of all variants of a `oneOf`. */
export function listChildren({ children, variants }: Attribute): readonly Attribute[] {
  return variants.size > 0 ? [...children, ...[...variants.values()].flat()] : children
}

export interface Relation extends FieldDefinition {
  readonly role: 'relation'
  readonly kind: RelationKind
  readonly toMany: boolean
  /** The declared type names. The registry sets `owner`, `targets` and `target`. */
  readonly targetNames: readonly string[]
  segment: string
  linkage: 'always' | 'lazy'
  hasLinks: boolean
  hasRelatedEndpoint: boolean
  hasRelationshipEndpoint: boolean
  /** The to-one relation of the association entity to the members of a `morphToMany`. */
  throughProperty: string | null
  /** The association entity of a `belongsToMany`. */
  pivotEntity: EntityClass<object> | null
  /** The shape of the association entity; set by the registry. */
  pivotShape: EntityShape | null
  /** The columns of association rows that are rendered in `meta.pivot`. */
  pivotFields: readonly Attribute[]
  /** Restrictions on writes of clients. The record is null during a create. */
  cannotReplace: Rule<[record: object | null, caller: Caller | null]>
  cannotAdd: Rule<[record: object | null, caller: Caller | null]>
  cannotRemove: Rule<[record: object | null, caller: Caller | null]>
  /** `beforeRelationLoad` of a plugin removes parents whose members are hidden, or throws. */
  hasReadAbility: boolean
  /** The number of members a request may send; null for the general limit. */
  maxMembers: number | null
  /** Returns the `meta` of an identifier in this relation. */
  identifierMeta: IdentifierMeta | null
  /** The type on the inverse side, for the documentation. */
  inverseType: string | null
  owner: ResourceType
  /** The related types; more than one only if the relation is polymorphic. */
  targets: readonly ResourceType[]
  /** The first of `targets`. */
  target: ResourceType
}

export type IdentifierMeta = (parent: Row, related: Row, caller: Caller | null) => Record<string, unknown> | undefined

export function isPolymorphic({ kind }: Relation): boolean {
  return kind === 'morphTo' || kind === 'morphToMany'
}

/** Whether the row of the owner holds the foreign key. */
export function isOwnerSide({ kind }: Relation): boolean {
  return kind === 'belongsTo' || kind === 'morphTo'
}

/** Whether a new owner has no members, because foreign keys of other rows refer to it. */
export function isEmptyAfterCreate(relation: Relation): boolean {
  return !isOwnerSide(relation) && !isPolymorphic(relation)
}

export interface Id {
  readonly role: 'id'
  readonly name: 'id'
  readonly modifiers: string[]
  readonly ignoredModifiers: IgnoredModifier[]
  readonly faults: string[]
  property: string
  clientId: 'forbidden' | 'allowed' | 'required'
  /** The format on the wire; null accepts any non-empty string. */
  format: RegExp | null
  /** The JSON Schema format of the id on the wire. */
  schemaFormat: 'uuid' | null
  /** A second format, which also limits the URLs: one whose id does not match is a 404 without an error code. */
  urlFormat: RegExp | null
  /** Generates the key of a new resource; null if the store generates it. */
  generate: (() => unknown) | null
  /** Whether `generated()` is declared, and the generator of the declared format. */
  generated: boolean
  generator: (() => string) | null
  /** Converts between the id on the wire and the key; null if they are equal. */
  wire: WireId | null
}

/** `decode` returns null if the id on the wire is invalid. */
export interface WireId {
  // biome-ignore lint/suspicious/noExplicitAny: the key is of the entity's own type
  encode(key: any): string
  decode(wire: string): unknown
}

export type Field = Id | Attribute | Relation

/** Returns the change that a modifier makes to the definition of a field; `options` are merged. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of a modifier are typed where it is declared
export type Modifier<Definition> = (definition: Definition, ...args: any[]) => Partial<Definition>

/** The modifiers that a plugin adds to fields at run time. It adds their types by declaration merging. */
export interface Modifiers {
  readonly attribute?: Readonly<Record<string, Modifier<Attribute>>>
  readonly relation?: Readonly<Record<string, Modifier<Relation>>>
  /** The forms of arguments by modifier, in their order. Other arguments are not checked. */
  readonly arguments?: ArgumentForms
  /** Lists of modifiers of which a field has at most one. */
  readonly exclusive?: readonly (readonly string[])[]
}

export type ArgumentForms = Readonly<Record<string, readonly Joi.Schema[]>>

/** The fields that `hiddenFor` hides from one requester. */
export interface Visibility {
  hides(field: Attribute | Relation): boolean
  /** The names of the fields of a type that are hidden from the requester. */
  hiddenIn(type: ResourceType): readonly string[]
}
