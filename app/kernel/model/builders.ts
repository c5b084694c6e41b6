import type { EntityClass } from '@mikro-orm/core'
import type { Awaitable } from '../lib/awaitable.ts'
import type {
  BoundTo,
  Key,
  PropertyName,
  RecordOf,
  RelatedOf,
  StoredIn,
  ToManyName,
  ToOneName,
} from './entity-types.ts'
import type { AttributeKind, Field, RelationKind, ScalarKind, WireId } from './field.ts'
import type {
  ArrayHashModifiers,
  ArrayListModifiers,
  AttributeModifiers,
  DateTimeModifiers,
  EmailModifiers,
  IpModifiers,
  NumberModifiers,
  RelatedModifiers,
  RelationModifiers,
  SentValues,
  StringModifiers,
  TemporalModifiers,
  ToManyModifiers,
  ToOneModifiers,
  UrlModifiers,
  UuidModifiers,
  ValueModifiers,
} from './modifiers.ts'
import type { Caller } from './principal.ts'

// The types of the builders that `fields` of a declaration receives, checked against the entity.

/** True if the field has a property or is computed; otherwise the compiler error for the author. */
export declare const bound: unique symbol

export interface Declared<Bound = true> {
  readonly [bound]: Bound
  readonly definition: Field
}

type Predicate<Args extends unknown[]> = (...args: Args) => boolean

interface ModifiersByKind<Entity> {
  string: StringModifiers<Entity>
  email: StringModifiers<Entity> & EmailModifiers<Entity>
  url: StringModifiers<Entity> & UrlModifiers<Entity>
  uuid: StringModifiers<Entity> & UuidModifiers<Entity>
  slug: StringModifiers<Entity>
  ip: StringModifiers<Entity> & IpModifiers<Entity>
  integer: NumberModifiers<Entity>
  decimal: NumberModifiers<Entity>
  boolean: unknown
  dateTime: TemporalModifiers<Entity> & DateTimeModifiers
  date: TemporalModifiers<Entity>
  time: TemporalModifiers<Entity>
  map: unknown
  obj: unknown
  oneOf: OneOfModifiers
  arrayList: ArrayListModifiers<Entity>
  arrayHash: ArrayHashModifiers<Entity>
}

interface OneOfModifiers {
  /** The member that selects the variant; default: `type`. */
  discriminator(member: string): this
  variant(name: string, ...children: Declared<unknown>[]): this
}

/** Restrictions of attributes and relations. A function restricts unless it returns false. */
interface RestrictionModifiers<Entity> {
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
  ModifiersByKind<Entity>[Kind] &
  ValueModifiers<Entity, SentValues[Kind]>

export interface AttributeBase<Entity, Kind extends AttributeKind, Bound>
  extends Declared<Bound>,
    RestrictionModifiers<Entity>,
    AttributeModifiers<Entity> {
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

export interface RelationBase<Entity, Bound, Related>
  extends Declared<Bound>,
    RestrictionModifiers<Entity>,
    RelationModifiers<Entity>,
    RelatedModifiers<Related> {
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
  /** Computes `meta` of the identifiers in this relation; overrides other `meta`. */
  identifierMeta(
    meta: (
      parent: RecordOf<Entity>,
      related: RecordOf<Related>,
      caller: Caller | null,
    ) => Record<string, unknown> | undefined,
  ): this
  /** Clients may not replace the members. The record is null during a create. */
  cannotReplace(when?: Predicate<[record: Entity | null, caller: Caller | null]>): this
  cannotAdd(when?: Predicate<[record: Entity | null, caller: Caller | null]>): this
  cannotRemove(when?: Predicate<[record: Entity | null, caller: Caller | null]>): this
}

export interface ToOneBuilder<Entity, Bound, Related>
  extends RelationBase<Entity, Bound, Related>,
    ToOneModifiers<Entity> {
  /** Uses another to-one property of the entity. */
  storedAs<Name extends ToOneName<Entity>>(property: Name): ToOneBuilder<Entity, true, RelatedOf<Entity, Name>>
}
export interface ToManyBuilder<Entity, Bound, Related>
  extends RelationBase<Entity, Bound, Related>,
    ToManyModifiers<Entity> {
  /** Uses another collection of the entity. */
  storedAs<Name extends ToManyName<Entity>>(property: Name): ToManyBuilder<Entity, true, RelatedOf<Entity, Name>>
}
interface BelongsToManyModifiers {
  /** The association entity: its rows connect the two sides. */
  through<Association extends object>(entity: EntityClass<Association>): this & PivotModifiers<Association>
}
interface PivotModifiers<Association> {
  /** The fields of association rows that are rendered in `meta.pivot` and may be written. */
  fields(declare: (builders: Builders<Association>) => readonly Declared[]): this
}

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
  /** The whole id matches the pattern. A URL whose id does not is a 404 without an error code. */
  matchAs(pattern: string | RegExp): this
  /** The service generates ids of the declared format: `uuid()`, `uuid(4)`, `uuid(7)` or `ulid()`. */
  generated(): this
  /** Generates the key of a new resource. */
  generateUsing(make: () => unknown): this
  /** Converts between the id on the wire and the key. */
  encodeUsing(codec: WireId): this
}

type NamedAttribute<Entity, Name extends string, Kind extends AttributeKind> = AttributeBuilder<
  Entity,
  Kind,
  BoundTo<Entity, Name, Kind>
>
type NamedToOne<Entity, Name extends string> = ToOneBuilder<
  Entity,
  Name extends ToOneName<Entity>
    ? true
    : `'${Name}' is not a to-one relation of the entity (is it declared with .ref()?).`,
  RelatedOf<Entity, Name>
>
type NamedToMany<Entity, Name extends string> = ToManyBuilder<
  Entity,
  Name extends ToManyName<Entity> ? true : `'${Name}' is not a collection of the entity.`,
  RelatedOf<Entity, Name>
>
interface MorphToManyModifiers<Entity, Name extends string> {
  /** The to-one relation of the association entity to the member. */
  throughProperty(property: ToOneName<RelatedOf<Entity, Name>>): NamedToMany<Entity, Name>
}

/** One builder per kind of attribute without children: `string('title')`. */
type ScalarBuilders<Entity> = {
  readonly [Kind in ScalarKind]: <Name extends string>(name: Name) => NamedAttribute<Entity, Name, Kind>
}

export interface Builders<Entity> extends ScalarBuilders<Entity> {
  id(): IdBuilder
  /** An object with declared children, stored in one property. */
  obj<Name extends string>(name: Name, ...children: Declared<unknown>[]): NamedAttribute<Entity, Name, 'obj'>
  /** An object on the wire whose children are properties of the entity. */
  map(name: string, ...children: Declared[]): AttributeBuilder<Entity, 'map', true>
  belongsTo<Name extends string>(name: Name, type: string): NamedToOne<Entity, Name>
  hasOne<Name extends string>(name: Name, type: string): NamedToOne<Entity, Name>
  hasMany<Name extends string>(name: Name, type: string): NamedToMany<Entity, Name>
  belongsToMany<Name extends string>(name: Name, type: string): NamedToMany<Entity, Name> & BelongsToManyModifiers
  /** A polymorphic to-one. */
  morphTo<Name extends string>(name: Name, types: readonly string[]): NamedToOne<Entity, Name>
  /** A polymorphic to-many through an association entity. */
  morphToMany<Name extends string>(
    name: Name,
    types: readonly string[],
  ): NamedToMany<Entity, Name> & MorphToManyModifiers<Entity, Name>
}

/** Builders for rows that are plain objects: a relation is a property with a key or a list of keys. */
export interface RowBuilders<Row> extends Omit<Builders<Row>, RelationKind> {
  belongsTo(name: Key<Row>, type: string): RowToOne<Row>
  hasOne(name: Key<Row>, type: string): RowToOne<Row>
  hasMany(name: Key<Row>, type: string): RowToMany<Row>
  belongsToMany(name: Key<Row>, type: string): RowToMany<Row>
  /** The property holds `{ type, key }`. */
  morphTo(name: Key<Row>, types: readonly string[]): RowToOne<Row>
  morphToMany(name: Key<Row>, types: readonly string[]): RowToMany<Row>
}
type RowToOne<Row> = ToOneBuilder<Row, true, Readonly<Record<string, unknown>>>
type RowToMany<Row> = ToManyBuilder<Row, true, Readonly<Record<string, unknown>>>
