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
import type { Fact, FactsOf, facts, NameIn, named, Ruled } from './facts.ts'
import type { AttributeKind, Field, RelationKind, ScalarKind, WireId } from './field.ts'
import type {
  ArrayHashModifiers,
  ArrayListModifiers,
  AttributeModifiers,
  DateModifiers,
  DateTimeModifiers,
  EmailModifiers,
  IpModifiers,
  NumberModifiers,
  SentValues,
  StringModifiers,
  TemporalModifiers,
  UrlModifiers,
  UuidModifiers,
  ValueModifiers,
} from './modifiers.ts'
import type { Caller } from './principal.ts'
import type {
  BelongsToManyModifiers,
  Predicate,
  RelationFacts,
  RestrictionModifiers,
  ToManyBuilder,
  ToOneBuilder,
} from './relation-builders.ts'

// The types of the builders that `fields` of a declaration receives, checked against the entity.

/** True if the field has a property or is computed; otherwise the compiler error for the author. */
export declare const bound: unique symbol

export interface Declared<Bound = true> extends Fact<unknown> {
  readonly [bound]: Bound
  readonly definition: Field
}

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
  date: TemporalModifiers<Entity> & DateModifiers
  time: TemporalModifiers<Entity>
  map: unknown
  obj: unknown
  oneOf: OneOfModifiers
  arrayList: ArrayListModifiers<Entity>
  arrayHash: ArrayHashModifiers<Entity>
}

interface OneOfModifiers {
  /** The member that selects the variant; default: `type`. */
  discriminator<const Member extends string>(member: Member): this & Fact<{ discriminator: Member }>
  variant<const Name extends string, const Children extends readonly Declared<unknown>[]>(
    name: Name,
    ...children: Children
  ): this & Fact<{ variants: { [Key in Name]: Children } }>
}

/** Computes the value of an attribute. */
type Read<Entity, Value = unknown> = (record: RecordOf<Entity>, caller: Caller | null, name: string) => Value

type AttributeBuilder<Entity, Kind extends AttributeKind, Bound, Facts = unknown> = AttributeBase<
  Entity,
  Kind,
  Bound,
  Facts
> &
  ModifiersByKind<Entity>[Kind] &
  ValueModifiers<Entity, SentValues[Kind]>

interface AttributeBase<Entity, Kind extends AttributeKind, Bound, Facts = unknown>
  extends Declared<Bound>,
    RestrictionModifiers<Entity>,
    AttributeModifiers<Entity> {
  readonly [named]: NameIn<Facts>
  readonly [facts]: Facts
  /** Reads and writes another property. */
  storedAs<Name extends PropertyName<Entity>>(
    property: Name,
  ): AttributeBuilder<Entity, Kind, StoredIn<Entity, Name, Kind>, FactsOf<this> & { storedAs: Name }>
  /** The attribute has no property. */
  computed(): AttributeBuilder<Entity, Kind, true, FactsOf<this> & { computed: true }>
  /** Computes the stored value; read-only. */
  computedUsing(
    read: Read<Entity>,
  ): AttributeBuilder<Entity, Kind, true, FactsOf<this> & { computed: true; extracted: true; readOnly: true }>
  extractUsing(read: Read<Entity>): AttributeBuilder<Entity, Kind, true, FactsOf<this> & { extracted: true }>
  /** Computes the JSON value, without the codec of the kind; overrides `extractUsing`. */
  serializeUsing<Value>(
    read: Read<Entity, Value>,
  ): AttributeBuilder<Entity, Kind, true, FactsOf<this> & { serialized: Value }>
  /** Converts the sent value to the stored value; an error is a 422. */
  deserializeUsing(
    read: (value: unknown, data: Readonly<Record<string, unknown>>) => unknown,
  ): this & Fact<{ converted: true }>
  /** Writes the sent value to the entity; overrides `deserializeUsing`. */
  fillUsing(
    write: (entity: Entity, value: unknown, data: Readonly<Record<string, unknown>>, name: string) => Awaitable<void>,
  ): AttributeBuilder<Entity, Kind, true, FactsOf<this> & { converted: true }>
  /** Reads and writes the property of a related object: `on('owner')`, `on('album.artist')`. */
  on(
    path: ToOneName<Entity> | `${ToOneName<Entity>}.${string}`,
  ): AttributeBuilder<Entity, Kind, true, FactsOf<this> & { on: true }>
  /** The properties that the function reads. They are selected instead of the whole row. */
  needs(...properties: PropertyName<Entity>[]): this
  writeOnly<Rule extends [when?: Predicate<[caller: Caller | null]>]>(...rule: Rule): this & Ruled<'writeOnly', Rule>
}

export interface IdBuilder extends Declared {
  /** The client may send the id of a new resource. */
  allowClientId(): this & Fact<{ id: 'optional' }>
  /** The client must send the id of a new resource. */
  requireClientId(): this & Fact<{ id: 'client' }>
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

type NamedAttribute<Entity, Name extends string, Kind extends AttributeKind, Facts = unknown> = AttributeBuilder<
  Entity,
  Kind,
  BoundTo<Entity, Name, Kind>,
  { readonly name: Name; readonly kind: Kind } & Facts
>
type NamedToOne<Entity, Name extends string, Type, Linked> = ToOneBuilder<
  Entity,
  Name extends ToOneName<Entity>
    ? true
    : `'${Name}' is not a to-one relation of the entity (is it declared with .ref()?).`,
  RelatedOf<Entity, Name>,
  RelationFacts<Name, Type, false, Linked>
>
type NamedToMany<Entity, Name extends string, Type> = ToManyBuilder<
  Entity,
  Name extends ToManyName<Entity> ? true : `'${Name}' is not a collection of the entity.`,
  RelatedOf<Entity, Name>,
  RelationFacts<Name, Type, true, false>
>
interface MorphToManyModifiers<Entity, Name extends string, Type> {
  /** The to-one relation of the association entity to the member. */
  throughProperty(
    property: ToOneName<RelatedOf<Entity, Name>>,
  ): NamedToMany<Entity, Name, Type> & Fact<{ polymorphic: true }>
}

/** One builder per kind of attribute without children: `string('title')`. */
type ScalarBuilders<Entity> = {
  readonly [Kind in ScalarKind]: <Name extends string>(name: Name) => NamedAttribute<Entity, Name, Kind>
}

export interface Builders<Entity> extends ScalarBuilders<Entity> {
  id(): IdBuilder
  /** An object with declared children, stored in one property. */
  obj<Name extends string, const Children extends readonly Declared<unknown>[]>(
    name: Name,
    ...children: Children
  ): NamedAttribute<Entity, Name, 'obj', { children: Children }>
  /** An object on the wire whose children are properties of the entity. */
  map<Name extends string, const Children extends readonly Declared[]>(
    name: Name,
    ...children: Children
  ): AttributeBuilder<Entity, 'map', true, { name: Name; kind: 'map'; children: Children }>
  belongsTo<Name extends string, const Type extends string>(
    name: Name,
    type: Type,
  ): NamedToOne<Entity, Name, Type, true>
  hasOne<Name extends string, const Type extends string>(name: Name, type: Type): NamedToOne<Entity, Name, Type, false>
  hasMany<Name extends string, const Type extends string>(name: Name, type: Type): NamedToMany<Entity, Name, Type>
  belongsToMany<Name extends string, const Type extends string>(
    name: Name,
    type: Type,
  ): NamedToMany<Entity, Name, Type> & BelongsToManyModifiers
  /** A polymorphic to-one. */
  morphTo<Name extends string, const Type extends string>(
    name: Name,
    types: readonly Type[],
  ): NamedToOne<Entity, Name, Type, true> & Fact<{ polymorphic: true }>
  /** A polymorphic to-many through an association entity. */
  morphToMany<Name extends string, const Type extends string>(
    name: Name,
    types: readonly Type[],
  ): NamedToMany<Entity, Name, Type> & MorphToManyModifiers<Entity, Name, Type> & Fact<{ polymorphic: true }>
}

/** Builders for rows that are plain objects: a relation is a property with a key or a list of keys. */
export interface RowBuilders<Row> extends Omit<Builders<Row>, RelationKind> {
  belongsTo<Name extends Key<Row>, const Type extends string>(name: Name, type: Type): RowToOne<Row, Name, Type, true>
  hasOne<Name extends Key<Row>, const Type extends string>(name: Name, type: Type): RowToOne<Row, Name, Type, false>
  hasMany<Name extends Key<Row>, const Type extends string>(name: Name, type: Type): RowToMany<Row, Name, Type>
  belongsToMany<Name extends Key<Row>, const Type extends string>(name: Name, type: Type): RowToMany<Row, Name, Type>
  /** The property holds `{ type, key }`. */
  morphTo<Name extends Key<Row>, const Type extends string>(
    name: Name,
    types: readonly Type[],
  ): RowToOne<Row, Name, Type, true> & Fact<{ polymorphic: true }>
  morphToMany<Name extends Key<Row>, const Type extends string>(
    name: Name,
    types: readonly Type[],
  ): RowToMany<Row, Name, Type> & Fact<{ polymorphic: true }>
}
type PlainRow = Readonly<Record<string, unknown>>
type RowToOne<Row, Name, Type, Linked> = ToOneBuilder<Row, true, PlainRow, RelationFacts<Name, Type, false, Linked>>
type RowToMany<Row, Name, Type> = ToManyBuilder<Row, true, PlainRow, RelationFacts<Name, Type, true, false>>
