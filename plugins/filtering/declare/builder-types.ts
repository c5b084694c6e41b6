import type { FilterQuery } from '@mikro-orm/core'
import type Joi from 'joi'
import type { Caller, Condition, ParamValue, PropertyName, RelatedOf, ToManyName, ToOneName } from '#kernel/plugin'
import type { FilterDefinition, Operator, PresetValue, synonyms } from './definition.ts'

// The filter builders as TypeScript types: a filter on a property that does not exist is a compile error.

/** Type-level member: `true` if the property or relation exists, otherwise the compile error as a sentence. */
export declare const targetCheck: unique symbol

export interface DeclaredFilter<Bound = true> {
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
  deserializeUsing(read: (text: string) => unknown): this
  /** Reads true, 1, on and yes as true; false, 0, off, no and an empty text as false. */
  asBoolean(): this
  /** Applies when the key is not sent; an empty value disables it. */
  default(value: PresetValue): this
  /** Applies this value whenever the key is sent, whatever its value. */
  fixed(value: PresetValue): this
  /** Requires each text to satisfy all schemas. */
  constrain(...schemas: readonly Joi.Schema[]): this
  numeric(): this
  integer(): this
  uuid(version?: number): this
  boolean(): this
  /** Requires the whole text to match. */
  pattern(pattern: string | RegExp): this
  describedAs(text: string): this
  /** Makes the key unknown for requests that do not satisfy the function. */
  availableWhen(when: (caller: Caller) => boolean): this
}

export interface FilterBuilder<Bound> extends DeclaredFilter<Bound>, FilterRefinements {}
export interface SingularFilter<Bound> extends FilterBuilder<Bound> {
  /** Returns one resource or null instead of a collection when the key is sent. */
  singular(): this
}
export interface ListFilter<Bound> extends FilterBuilder<Bound> {
  /** Separates the values of a text. Default: a comma. */
  delimiter(character: string): this
}
export interface SingularListFilter<Bound> extends SingularFilter<Bound> {
  delimiter(character: string): this
}
export interface PathFilter<Bound> extends FilterBuilder<Bound> {
  operator(operator: Operator | keyof typeof synonyms): this
}
export interface CustomFilter<Entity, Bound> extends FilterBuilder<Bound> {
  /** Builds the condition of a value; undefined rejects the value. */
  condition(make: (value: ParamValue, caller: Caller | null) => Condition | undefined): CustomFilter<Entity, true>
  /** Names a handler of `filtering({ handlers })`, and the properties it reads. */
  handledBy(handler: string, ...properties: PropertyName<Entity>[]): CustomFilter<Entity, true>
}

interface PropertyFilter<Entity, PivotName extends string> {
  <Key extends string>(key: Key): FilterBuilder<CheckProperty<Entity, Key>>
  (key: string, property: PropertyName<Entity> | PivotName): FilterBuilder<true>
}
interface PresentFilter<Entity> {
  <Key extends string>(key: Key): FilterBuilder<CheckRelation<Entity, Key>>
  (key: string, relation: RelationName<Entity>): FilterBuilder<true>
}

/** The builders passed to `filters`. Those of a relation's `withFilters` also accept `pivot.<field>` as property. */
export interface FilterBuilders<Entity, PivotName extends string = never> {
  /** Compares a property: `where('longerThan', 'lengthSeconds', '>')`. */
  where<Key extends string>(key: Key): SingularFilter<CheckProperty<Entity, Key>>
  where(
    key: string,
    property: PropertyName<Entity> | PivotName,
    operator?: Operator | keyof typeof synonyms,
  ): SingularFilter<true>
  whereIn<Key extends string>(key: Key): SingularListFilter<CheckProperty<Entity, Key>>
  whereIn(key: string, property: PropertyName<Entity> | PivotName): SingularListFilter<true>
  whereNotIn<Key extends string>(key: Key): SingularListFilter<CheckProperty<Entity, Key>>
  whereNotIn(key: string, property: PropertyName<Entity> | PivotName): SingularListFilter<true>
  /** Accepts resource ids: of the type itself, or of the type a relation leads to. */
  whereIdIn(key?: string, relation?: RelationName<Entity> | 'id'): ListFilter<true>
  whereIdNotIn(key?: string, relation?: RelationName<Entity> | 'id'): ListFilter<true>
  /** Applies if the key is sent with any value. */
  readonly whereNull: PropertyFilter<Entity, PivotName>
  readonly whereNotNull: PropertyFilter<Entity, PivotName>
  /** Requires a related row. Applies if the key is sent with any value. */
  readonly whereHas: PresentFilter<Entity>
  readonly whereDoesntHave: PresentFilter<Entity>
  /** Compares a property of related rows: `whereThrough('artist.name')`. */
  whereThrough<Path extends string>(path: Path): PathFilter<CheckPath<Entity, Path>>
  whereThrough<Path extends string>(key: string, path: Path): PathFilter<CheckPath<Entity, Path>>
  readonly contains: PropertyFilter<Entity, PivotName>
  readonly startsWith: PropertyFilter<Entity, PivotName>
  readonly endsWith: PropertyFilter<Entity, PivotName>
  readonly numeric: PropertyFilter<Entity, PivotName>
  readonly greaterThan: PropertyFilter<Entity, PivotName>
  readonly greaterThanOrEqual: PropertyFilter<Entity, PivotName>
  readonly lessThan: PropertyFilter<Entity, PivotName>
  readonly lessThanOrEqual: PropertyFilter<Entity, PivotName>
  readonly boolean: PropertyFilter<Entity, PivotName>
  /** Accepts `filter[key][min]` and `filter[key][max]`, both inclusive. */
  readonly range: PropertyFilter<Entity, PivotName>
  /** Accepts a range of ISO 8601 dates and times. */
  readonly dateRange: PropertyFilter<Entity, PivotName>
  /** Applies the value to every child. The keys of children are not query parameters. */
  whereAll(key: string, ...children: DeclaredFilter[]): FilterBuilder<true>
  whereAny(key: string, ...children: DeclaredFilter[]): FilterBuilder<true>
  /** Requires a related row that matches a MikroORM filter, which may be a function of the value. */
  whereHasMatching<Name extends RelationName<Entity>>(
    key: string,
    relation: Name,
    where: FilterQuery<RelatedOf<Entity, Name>> | ((value: ParamValue) => FilterQuery<RelatedOf<Entity, Name>>),
  ): FilterBuilder<true>
  /** A filter with a condition or a handler of the application. */
  custom(key: string): CustomFilter<Entity, 'A custom filter needs condition() or handledBy().'>
}
