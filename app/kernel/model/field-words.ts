import type { EntityClass } from '@mikro-orm/core'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Attribute, AttributeKind, Field, Relation, WireId } from './field.ts'
import type { Caller } from './principal.ts'

// The types of the words of a declaration. A plugin adds its words to the interfaces ending in `Words` with
// `declare module '#kernel'`, under the same names of type parameters.

/** True if the field has a property or is computed; otherwise the compiler error for the author. */
export declare const bound: unique symbol

export interface Declared<Bound = true> {
  readonly [bound]: Bound
  readonly definition: Field
}

type Predicate<Args extends unknown[]> = (...args: Args) => boolean
type Key<Entity> = Exclude<keyof Entity, symbol> & string
type IsToOne<Value> = NonNullable<Value> extends { unwrap(): unknown } ? true : false
type IsToMany<Value> = NonNullable<Value> extends { getItems(): unknown } ? true : false

export type ToOneName<Entity> = { [K in Key<Entity>]: IsToOne<Entity[K]> extends true ? K : never }[Key<Entity>]
export type ToManyName<Entity> = { [K in Key<Entity>]: IsToMany<Entity[K]> extends true ? K : never }[Key<Entity>]
/** Properties that can be an attribute: neither a relation nor a method. */
export type PropertyName<Entity> = {
  [K in Key<Entity>]: IsToOne<Entity[K]> extends true
    ? never
    : IsToMany<Entity[K]> extends true
      ? never
      : NonNullable<Entity[K]> extends (...args: never[]) => unknown
        ? never
        : K
}[Key<Entity>]

/** The row that functions of a declaration receive, without relations. */
export type RecordOf<Entity> = { readonly [K in PropertyName<Entity>]: Entity[K] }

/** The type that the entity property of an attribute must have, by kind. */
interface StoredValue {
  string: string
  email: string
  url: string
  uuid: string
  slug: string
  ip: string
  integer: number | bigint
  decimal: number | string
  boolean: boolean
  dateTime: Date
  date: string | Date
  time: string
  map: never
  obj: unknown
  oneOf: unknown
  arrayList: readonly unknown[]
  arrayHash: unknown
}

type BoundTo<Entity, Name extends string, Kind extends AttributeKind> =
  Name extends PropertyName<Entity>
    ? NonNullable<Entity[Name & keyof Entity]> extends StoredValue[Kind]
      ? true
      : `The property '${Name}' does not hold what a '${Kind}' field holds.`
    : Name extends ToOneName<Entity> | ToManyName<Entity>
      ? `'${Name}' is a relation of the entity, not an attribute.`
      : `'${Name}' is not a property of the entity; say storedAs() or computed().`

/** True if the name is inferred as the union of all properties: the argument itself has a compiler error then. */
type StoredIn<Entity, Name extends string, Kind extends AttributeKind> = [PropertyName<Entity>] extends [Name]
  ? true
  : BoundTo<Entity, Name, Kind>

export interface FieldWords<Entity> {}
export interface AttributeWords<Entity> extends FieldWords<Entity> {}
export interface StringWords<Entity> {}
export interface NumberWords<Entity> {}
export interface TemporalWords<Entity> {}
export interface EmailWords<Entity> {}
export interface UrlWords<Entity> {}
export interface UuidWords<Entity> {}
export interface IpWords<Entity> {}
export interface ArrayListWords<Entity> {
  /** Sorts the items on the wire. */
  sorted(): this
}
export interface ArrayHashWords<Entity> {
  /** Sorts the members by key, or by value, on the wire. */
  sortKeys(): this
  sortValues(): this
}
export interface RelationWords<Entity> extends FieldWords<Entity> {}
export interface ToOneWords<Entity> {}
export interface ToManyWords<Entity> {}
/** Words that depend on the related entity. */
export interface RelatedWords<Related> {}
/** Keys that plugins add to the object given to `defineResource`. */
export interface ResourceWords<Entity> {}

interface WordsByKind<Entity> {
  string: StringWords<Entity>
  email: StringWords<Entity> & EmailWords<Entity>
  url: StringWords<Entity> & UrlWords<Entity>
  uuid: StringWords<Entity> & UuidWords<Entity>
  slug: StringWords<Entity>
  ip: StringWords<Entity> & IpWords<Entity>
  integer: NumberWords<Entity>
  decimal: NumberWords<Entity>
  boolean: unknown
  dateTime: TemporalWords<Entity> & DateTimeWords
  date: TemporalWords<Entity>
  time: TemporalWords<Entity>
  map: unknown
  obj: unknown
  oneOf: OneOfWords
  arrayList: ArrayListWords<Entity>
  arrayHash: ArrayHashWords<Entity>
}

interface DateTimeWords {
  /** `YYYY-MM-DD HH:mm:ss.SSS`, in UTC. */
  format(format: string): this
  /** The time zone of values without an offset. */
  useTimezone(timezone: string): this
}
interface OneOfWords {
  /** The member that selects the variant; default: `type`. */
  discriminator(member: string): this
  variant(name: string, ...children: Declared<unknown>[]): this
}

/** Restrictions of attributes and relations. A function restricts unless it returns false. */
interface RestrictionWords<Entity> {
  readOnly(when?: Predicate<[caller: Caller | null]>): this
  readOnlyOnCreate(when?: Predicate<[caller: Caller | null]>): this
  readOnlyOnUpdate(when?: Predicate<[caller: Caller | null]>): this
  /** Never rendered; with a function, not rendered for the rows to which it applies. */
  hidden(when?: Predicate<[record: RecordOf<Entity>, caller: Caller | null]>): this
  /** Hidden from the callers to which the function applies. Other callers may sort and filter by the field. */
  hiddenFor(when: Predicate<[caller: Caller]>): this
}

/** Computes the value of an attribute. */
type Read<Entity> = (record: RecordOf<Entity>, caller: Caller | null, name: string) => unknown

export type AttributeBuilder<Entity, Kind extends AttributeKind, Bound> = AttributeBase<Entity, Kind, Bound> &
  WordsByKind<Entity>[Kind]

export interface AttributeBase<Entity, Kind extends AttributeKind, Bound>
  extends Declared<Bound>,
    RestrictionWords<Entity>,
    AttributeWords<Entity> {
  /** Reads and writes another property. */
  storedAs<Name extends PropertyName<Entity>>(
    property: Name,
  ): AttributeBuilder<Entity, Kind, StoredIn<Entity, Name, Kind>>
  /** The attribute has no property. */
  computed(): AttributeBuilder<Entity, Kind, true>
  /** Computes the stored value; read-only. */
  computedUsing(read: Read<Entity>): AttributeBuilder<Entity, Kind, true>
  extractUsing(read: Read<Entity>): AttributeBuilder<Entity, Kind, true>
  /** Computes the JSON value, without the codec of the kind; overrides `extractUsing`. */
  serializeUsing(read: Read<Entity>): AttributeBuilder<Entity, Kind, true>
  /** Converts the sent value to the stored value; an error is a 422. */
  deserializeUsing(read: (value: unknown, data: Readonly<Record<string, unknown>>) => unknown): this
  /** Writes the sent value to the entity; overrides `deserializeUsing`. */
  fillUsing(
    write: (entity: Entity, value: unknown, data: Readonly<Record<string, unknown>>, name: string) => Awaitable<void>,
  ): AttributeBuilder<Entity, Kind, true>
  /** Reads and writes the property of a related object: `on('owner')`, `on('album.artist')`. */
  on(path: ToOneName<Entity> | `${ToOneName<Entity>}.${string}`): AttributeBuilder<Entity, Kind, true>
  /** The properties that the function reads. They are selected instead of the whole row. */
  needs(...properties: PropertyName<Entity>[]): this
  writeOnly(when?: Predicate<[caller: Caller | null]>): this
}

export interface ToOneBuilder<Entity, Bound, Related>
  extends RelationBase<Entity, Bound>,
    ToOneWords<Entity>,
    MemberWords<Entity, Related>,
    RelatedWords<Related> {
  /** Uses another to-one property of the entity. */
  storedAs<Name extends ToOneName<Entity>>(property: Name): ToOneBuilder<Entity, true, RelatedOf<Entity, Name>>
}
export interface ToManyBuilder<Entity, Bound, Related>
  extends RelationBase<Entity, Bound>,
    ToManyWords<Entity>,
    MemberWords<Entity, Related>,
    RelatedWords<Related> {
  /** Uses another collection of the entity. */
  storedAs<Name extends ToManyName<Entity>>(property: Name): ToManyBuilder<Entity, true, RelatedOf<Entity, Name>>
}
/** Words of a many-to-many. */
interface BelongsToManyWords {
  /** The association entity: its rows connect the two sides. */
  through<Association extends object>(entity: EntityClass<Association>): this & PivotWords<Association>
}
interface PivotWords<Association> {
  /** The fields of association rows that are rendered in `meta.pivot` and may be written. */
  fields(declare: (words: Builders<Association>) => readonly Declared[]): this
}

/** Words for single members of a relation. */
interface MemberWords<Entity, Related> {
  /** Computes `meta` of the identifiers in this relation; overrides other `meta`. */
  identifierMeta(
    meta: (
      parent: RecordOf<Entity>,
      related: RecordOf<Related>,
      caller: Caller | null,
    ) => Record<string, unknown> | undefined,
  ): this
}

/** The related entity of a relation; never if there is none. */
export type RelatedOf<Entity, Name> = Name extends keyof Entity
  ? NonNullable<Entity[Name]> extends { unwrap(): infer Related }
    ? Related
    : NonNullable<Entity[Name]> extends { getItems(): readonly (infer Related)[] }
      ? Related
      : never
  : never

export interface RelationBase<Entity, Bound> extends Declared<Bound>, RestrictionWords<Entity>, RelationWords<Entity> {
  /** Renders linkage data in every response. */
  withData(): this
  /** Renders linkage data instead of links. */
  withoutLinks(): this
  withoutRelatedEndpoint(): this
  withoutRelationshipEndpoint(): this
  /** The URL segment of the relation. */
  withUriFieldName(segment: string): this
  /** The name of the inverse relation, for the documentation. */
  inverseType(name: string): this
  /** Clients may not replace the members. The record is null during a create. */
  cannotReplace(when?: Gate<Entity>): this
  cannotAdd(when?: Gate<Entity>): this
  cannotRemove(when?: Gate<Entity>): this
}

type Gate<Entity> = Predicate<[record: Entity | null, caller: Caller | null]>

export interface IdBuilder extends Declared {
  /** The client may send the id of a new resource. */
  allowClientId(): this
  /** The client must send the id of a new resource. */
  requireClientId(): this
  /** The id is a UUID, optionally of one version. */
  uuid(version?: number): this
  ulid(): this
  /** Digits only. */
  numeric(): this
  /** The whole id matches the pattern. */
  pattern(pattern: string | RegExp): this
  /** A URL whose id does not match is a 404. */
  matchAs(pattern: string | RegExp): this
  /** The service generates ids of the declared format: a v4 UUID or a ULID. */
  generated(): this
  /** Generates the key of a new resource. */
  generateUsing(make: () => unknown): this
  /** Converts between the id on the wire and the key. */
  encodeUsing(codec: WireId): this
}

type ToOne<Entity, Name extends string> = ToOneBuilder<
  Entity,
  Name extends ToOneName<Entity>
    ? true
    : `'${Name}' is not a to-one relation of the entity (is it declared with .ref()?).`,
  RelatedOf<Entity, Name>
>
type ToMany<Entity, Name extends string> = ToManyBuilder<
  Entity,
  Name extends ToManyName<Entity> ? true : `'${Name}' is not a collection of the entity.`,
  RelatedOf<Entity, Name>
>
type MorphToMany<Entity, Name extends string> = ToMany<Entity, Name> & {
  /** The to-one relation of the association entity to the member. */
  throughProperty(property: AssociationProperty<Entity, Name>): ToMany<Entity, Name>
}
type AssociationProperty<Entity, Name extends string> = ToOneName<RelatedOf<Entity, Name>>
type Attr<Entity, Name extends string, Kind extends AttributeKind> = AttributeBuilder<
  Entity,
  Kind,
  BoundTo<Entity, Name, Kind>
>

/** The builders that `fields` receives. */
export interface Builders<Entity> {
  id(): IdBuilder
  string<Name extends string>(name: Name): Attr<Entity, Name, 'string'>
  email<Name extends string>(name: Name): Attr<Entity, Name, 'email'>
  uuid<Name extends string>(name: Name): Attr<Entity, Name, 'uuid'>
  slug<Name extends string>(name: Name): Attr<Entity, Name, 'slug'>
  ip<Name extends string>(name: Name): Attr<Entity, Name, 'ip'>
  url<Name extends string>(name: Name): Attr<Entity, Name, 'url'>
  integer<Name extends string>(name: Name): Attr<Entity, Name, 'integer'>
  decimal<Name extends string>(name: Name): Attr<Entity, Name, 'decimal'>
  boolean<Name extends string>(name: Name): Attr<Entity, Name, 'boolean'>
  dateTime<Name extends string>(name: Name): Attr<Entity, Name, 'dateTime'>
  date<Name extends string>(name: Name): Attr<Entity, Name, 'date'>
  time<Name extends string>(name: Name): Attr<Entity, Name, 'time'>
  arrayList<Name extends string>(name: Name): Attr<Entity, Name, 'arrayList'>
  /** An object with free keys. */
  arrayHash<Name extends string>(name: Name): Attr<Entity, Name, 'arrayHash'>
  /** An object whose members depend on a discriminator. */
  oneOf<Name extends string>(name: Name): Attr<Entity, Name, 'oneOf'>
  /** An object with declared children, stored in one property. */
  obj<Name extends string>(name: Name, ...children: Declared<unknown>[]): Attr<Entity, Name, 'obj'>
  /** An object on the wire whose children are properties of the entity. */
  map(name: string, ...children: Declared[]): AttributeBuilder<Entity, 'map', true>
  belongsTo<Name extends string>(name: Name, type: string): ToOne<Entity, Name>
  hasOne<Name extends string>(name: Name, type: string): ToOne<Entity, Name>
  hasMany<Name extends string>(name: Name, type: string): ToMany<Entity, Name>
  belongsToMany<Name extends string>(name: Name, type: string): ToMany<Entity, Name> & BelongsToManyWords
  /** A polymorphic to-one. */
  morphTo<Name extends string>(name: Name, types: readonly string[]): ToOne<Entity, Name>
  /** A polymorphic to-many through an association entity. */
  morphToMany<Name extends string>(name: Name, types: readonly string[]): MorphToMany<Entity, Name>
}

type Plain = Readonly<Record<string, unknown>>
type RelationBuilderName = 'belongsTo' | 'hasOne' | 'hasMany' | 'belongsToMany' | 'morphTo' | 'morphToMany'

/** Builders for rows that are plain objects: a relation is a property with a key or a list of keys. */
export interface RowBuilders<Row> extends Omit<Builders<Row>, RelationBuilderName> {
  belongsTo(name: Key<Row>, type: string): ToOneBuilder<Row, true, Plain>
  hasOne(name: Key<Row>, type: string): ToOneBuilder<Row, true, Plain>
  hasMany(name: Key<Row>, type: string): ToManyBuilder<Row, true, Plain>
  belongsToMany(name: Key<Row>, type: string): ToManyBuilder<Row, true, Plain>
  /** The property holds `{ type, key }`. */
  morphTo(name: Key<Row>, types: readonly string[]): ToOneBuilder<Row, true, Plain>
  morphToMany(name: Key<Row>, types: readonly string[]): ToManyBuilder<Row, true, Plain>
}

/** Returns the change that a word makes to the definition of a field; `options` are merged. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of a word are typed where it is declared
export type Word<Definition> = (definition: Definition, ...args: any[]) => Partial<Definition>

/** The words that a plugin adds to fields at run time. It adds their types by declaration merging. */
export interface Modifiers {
  readonly attribute?: Readonly<Record<string, Word<Attribute>>>
  readonly relation?: Readonly<Record<string, Word<Relation>>>
}
