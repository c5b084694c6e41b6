import type Joi from 'joi'
import type { Caller, Fact, FactsOf, PropertyName, RelatedOf, ToManyName, ToOneName } from '#kernel/plugin'
import type { Condition, ParamValue, RowFilter, Unmarked } from '#kernel/queries'
import type { FilterDefinition, Operator, PresetValue, synonyms } from './definition.ts'

// The filter builders as TypeScript types: a filter on a property that does not exist is a compile error.

/** Type-level member: `true` if the property or relation exists, otherwise the compile error as a sentence. */
export declare const targetCheck: unique symbol

export interface DeclaredFilter<Bound = true, Facts = unknown> extends Fact<Facts> {
  readonly [targetCheck]: Bound
  readonly filter: FilterDefinition
}

/** Types without an entity have no typed relations: any property is accepted here and checked at boot. */
type RelationName<Entity> = [ToOneName<Entity> | ToManyName<Entity>] extends [never]
  ? PropertyName<Entity>
  : ToOneName<Entity> | ToManyName<Entity>
type CheckProperty<Entity, Key> =
  Key extends PropertyName<Entity> ? true : `'${Key & string}' is not a property of the entity; name one after the key.`
type CheckRelation<Entity, Key> =
  Key extends RelationName<Entity> ? true : `'${Key & string}' is not a relation of the entity; name one after the key.`

/** Checks a path of relations with a property at the end: `artist.name`. */
type CheckPath<Entity, Path> = Path extends `${infer Hop}.${infer Rest}`
  ? Hop extends RelationName<Entity>
    ? [RelatedOf<Entity, Hop>] extends [never]
      ? true
      : Rest extends `${string}.${string}`
        ? CheckPath<RelatedOf<Entity, Hop>, Rest>
        : Rest extends PropertyName<RelatedOf<Entity, Hop>>
          ? true
          : `'${Rest}' is not a property of the entity that '${Hop}' leads to.`
    : `'${Hop}' is not a relation of the entity.`
  : 'A path consists of relations and a property: artist.name.'

/** Refinements that every filter accepts. */
export interface FilterRefinements {
  /** Converts each sent text to the value to compare with. An exception rejects the text. */
  deserializeUsing(read: (text: string) => unknown): this & Fact<{ ruled: true }>
  /** Reads true, 1, on and yes as true; false, 0, off, no and an empty text as false. */
  asBoolean(): this & Fact<{ reads: boolean }>
  /** Applies when the key is not sent; an empty value disables it. */
  default(value: PresetValue): this & Fact<{ default: true }>
  /** Applies this value whenever the key is sent, whatever its value. */
  fixed(value: PresetValue): this & Fact<{ reads: true }>
  /** Requires each text to satisfy all schemas. */
  constrain(...schemas: readonly Joi.Schema[]): this & Fact<{ ruled: true }>
  numeric(): this & Fact<{ reads: number }>
  integer(): this & Fact<{ reads: number }>
  uuid(version?: number): this & Fact<{ ruled: true }>
  boolean(): this & Fact<{ reads: boolean }>
  /** Requires the whole text to match. */
  pattern(pattern: string | RegExp): this & Fact<{ ruled: true }>
  describedAs(text: string): this
  /** Makes the key unknown for requests that do not satisfy the function. */
  availableWhen(when: (caller: Caller) => boolean): this
}

/**
 * The key of a filter, the type of its value, and the property that it compares for equality, for the types of clients. Filters
 * with rules of their own (`ruled`) do not take the values of the attribute.
 */
interface KeyFacts<Key, Value, Property = never> {
  readonly key: Key
  readonly value: Value
  readonly equals: Property
}
type Equality = '=' | '==' | '===' | '!=' | '<>'
/** The value of a filter that compares a property; a text if the operator compares parts of it. */
type Compared<Entity, Property, Operation = '='> = Operation extends 'like' | 'starts' | 'ends'
  ? string
  : Property extends keyof Entity
    ? NonNullable<Entity[Property]> extends number
      ? number
      : NonNullable<Entity[Property]> extends boolean
        ? boolean
        : TextOf<NonNullable<Entity[Property]>>
    : string | number | boolean
/** The values of an enum; otherwise any text. */
type TextOf<Value> = Value extends string ? Unmarked<Value> : string
type OneOrMore<Value> = Value | readonly Value[]

export interface FilterBuilder<Bound, Facts = unknown> extends DeclaredFilter<Bound, Facts>, FilterRefinements {}
export interface SingularFilter<Bound, Facts = unknown> extends FilterBuilder<Bound, Facts> {
  /** Returns one resource or null instead of a collection when the key is sent. */
  singular(): this & Fact<{ singular: true }>
}
export interface ListFilter<Bound, Facts = unknown> extends FilterBuilder<Bound, Facts> {
  /** Separates the values of a text. Default: a comma. */
  delimiter(character: string): this
}
export interface SingularListFilter<Bound, Facts = unknown> extends SingularFilter<Bound, Facts> {
  delimiter(character: string): this
}
export interface PathFilter<Bound, Facts = unknown> extends FilterBuilder<Bound, Facts> {
  operator(operator: Operator | keyof typeof synonyms): this
}
export interface CustomFilter<Entity, Bound, Facts = unknown> extends FilterBuilder<Bound, Facts> {
  /** Builds the condition of a value; undefined rejects the value. */
  condition(
    make: (value: ParamValue, caller: Caller | null) => Condition | undefined,
  ): CustomFilter<Entity, true, FactsOf<this>>
  /** Names a handler of `filtering({ handlers })`, and the properties it reads. */
  handledBy(handler: string, ...properties: PropertyName<Entity>[]): CustomFilter<Entity, true, FactsOf<this>>
}

interface PropertyFilter<Entity, PivotName extends string, Value> {
  <const Key extends string>(
    key: Key,
  ): FilterBuilder<CheckProperty<Entity, Key>, KeyFacts<Key, ValueBy<Value, Compared<Entity, Key>>>>
  <const Key extends string, const Name extends PropertyName<Entity> | PivotName>(
    key: Key,
    property: Name,
  ): FilterBuilder<true, KeyFacts<Key, ValueBy<Value, Compared<Entity, Name>>>>
}
/** The type of the value: that of the property, a range of it, or a type of its own. */
type ValueBy<Value, Property> = Value extends 'property'
  ? Property
  : Value extends 'range'
    ? { readonly min?: Property; readonly max?: Property }
    : Value
interface DateRange {
  readonly min?: string
  readonly max?: string
}
interface PresentFilter<Entity> {
  <const Key extends string>(key: Key): FilterBuilder<CheckRelation<Entity, Key>, KeyFacts<Key, true>>
  <const Key extends string>(key: Key, relation: RelationName<Entity>): FilterBuilder<true, KeyFacts<Key, true>>
}

/** The builders passed to `filters`. Those of a relation's `withFilters` also accept `pivot.<field>` as property. */
export interface FilterBuilders<Entity, PivotName extends string = never> {
  /** Compares a property: `where('longerThan', 'lengthSeconds', '>')`. */
  where<const Key extends string>(
    key: Key,
  ): SingularFilter<CheckProperty<Entity, Key>, KeyFacts<Key, Compared<Entity, Key>, Key>>
  where<
    const Key extends string,
    const Name extends PropertyName<Entity> | PivotName,
    const Comparison extends Operator | keyof typeof synonyms = '=',
  >(
    key: Key,
    property: Name,
    operator?: Comparison,
  ): SingularFilter<true, KeyFacts<Key, Compared<Entity, Name, Comparison>, Comparison extends Equality ? Name : never>>
  whereIn<const Key extends string>(
    key: Key,
  ): SingularListFilter<CheckProperty<Entity, Key>, KeyFacts<Key, OneOrMore<Compared<Entity, Key>>, Key>>
  whereIn<const Key extends string, const Name extends PropertyName<Entity> | PivotName>(
    key: Key,
    property: Name,
  ): SingularListFilter<true, KeyFacts<Key, OneOrMore<Compared<Entity, Name>>, Name>>
  whereNotIn<const Key extends string>(
    key: Key,
  ): SingularListFilter<CheckProperty<Entity, Key>, KeyFacts<Key, OneOrMore<Compared<Entity, Key>>, Key>>
  whereNotIn<const Key extends string, const Name extends PropertyName<Entity> | PivotName>(
    key: Key,
    property: Name,
  ): SingularListFilter<true, KeyFacts<Key, OneOrMore<Compared<Entity, Name>>, Name>>
  /** Accepts resource ids: of the type itself, or of the type a relation leads to. */
  whereIdIn<const Key extends string = 'id'>(
    key?: Key,
    relation?: RelationName<Entity> | 'id',
  ): ListFilter<true, KeyFacts<Key, OneOrMore<string>>>
  whereIdNotIn<const Key extends string = 'id'>(
    key?: Key,
    relation?: RelationName<Entity> | 'id',
  ): ListFilter<true, KeyFacts<Key, OneOrMore<string>>>
  /** Applies if the key is sent with any value. */
  readonly whereNull: PropertyFilter<Entity, PivotName, true>
  readonly whereNotNull: PropertyFilter<Entity, PivotName, true>
  /** Requires a related row. Applies if the key is sent with any value. */
  readonly whereHas: PresentFilter<Entity>
  readonly whereDoesntHave: PresentFilter<Entity>
  /** Compares a property of related rows: `whereThrough('artist.name')`. */
  whereThrough<const Path extends string>(path: Path): PathFilter<CheckPath<Entity, Path>, KeyFacts<Path, string>>
  whereThrough<const Key extends string, Path extends string>(
    key: Key,
    path: Path,
  ): PathFilter<CheckPath<Entity, Path>, KeyFacts<Key, string>>
  readonly contains: PropertyFilter<Entity, PivotName, string>
  readonly startsWith: PropertyFilter<Entity, PivotName, string>
  readonly endsWith: PropertyFilter<Entity, PivotName, string>
  readonly numeric: PropertyFilter<Entity, PivotName, number>
  readonly greaterThan: PropertyFilter<Entity, PivotName, 'property'>
  readonly greaterThanOrEqual: PropertyFilter<Entity, PivotName, 'property'>
  readonly lessThan: PropertyFilter<Entity, PivotName, 'property'>
  readonly lessThanOrEqual: PropertyFilter<Entity, PivotName, 'property'>
  readonly boolean: PropertyFilter<Entity, PivotName, boolean>
  /** Accepts `filter[key][min]` and `filter[key][max]`, both inclusive. */
  readonly range: PropertyFilter<Entity, PivotName, 'range'>
  /** Accepts a range of ISO 8601 dates and times. */
  readonly dateRange: PropertyFilter<Entity, PivotName, DateRange>
  /** Applies the value to every child. The keys of children are not query parameters. */
  whereAll<const Key extends string>(
    key: Key,
    ...children: DeclaredFilter[]
  ): FilterBuilder<true, KeyFacts<Key, string>>
  whereAny<const Key extends string>(
    key: Key,
    ...children: DeclaredFilter[]
  ): FilterBuilder<true, KeyFacts<Key, string>>
  /** Requires a related row that matches a filter of the store, which may be a function of the value. */
  whereHasMatching<Name extends RelationName<Entity>, const Key extends string>(
    key: Key,
    relation: Name,
    where: RowFilter<RelatedOf<Entity, Name>> | ((value: ParamValue) => RowFilter<RelatedOf<Entity, Name>>),
  ): FilterBuilder<true, KeyFacts<Key, string>>
  /** A filter with a condition or a handler of the application. */
  custom<const Key extends string>(
    key: Key,
  ): CustomFilter<Entity, 'A custom filter needs condition() or handledBy().', KeyFacts<Key, string>>
}
