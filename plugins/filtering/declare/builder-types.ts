import type { FilterQuery } from '@mikro-orm/core'
import type Joi from 'joi'
import type { ApiRequest, Condition, ParamValue, PropertyName, RelatedOf, ToManyName, ToOneName } from '#kernel/plugin'
import type { FilterDefinition, Operator, PresetValue, synonyms } from './definition.ts'

// The words of a filter as the compiler sees them.

/** True when the filter looks at something that is there; otherwise a sentence for the author. */
export declare const looksAt: unique symbol

export interface DeclaredFilter<Bound = true> {
  readonly [looksAt]: Bound
  readonly filter: FilterDefinition
}

/** Of rows that are plain objects any property may be one; that is settled at boot. */
type RelationName<Entity> = [ToOneName<Entity> | ToManyName<Entity>] extends [never]
  ? PropertyName<Entity>
  : ToOneName<Entity> | ToManyName<Entity>
type OfProperty<Entity, Key> =
  Key extends PropertyName<Entity> ? true : `'${Key & string}' is not a property of the entity; name one after the key.`
type OfRelation<Entity, Key> =
  Key extends RelationName<Entity> ? true : `'${Key & string}' is not a relation of the entity; name one after the key.`

/** `artist.name`: relations, and a property at the end. */
type OfPath<Entity, Path> = Path extends `${infer Hop}.${infer Rest}`
  ? Hop extends RelationName<Entity>
    ? [RelatedOf<Entity, Hop>] extends [never]
      ? true
      : Rest extends `${string}.${string}`
        ? OfPath<RelatedOf<Entity, Hop>, Rest>
        : Rest extends PropertyName<RelatedOf<Entity, Hop>>
          ? true
          : `'${Rest}' is not a property of the entity that '${Hop}' leads to.`
    : `'${Hop}' is not a relation of the entity.`
  : 'A path is relations and a property: artist.name.'

/** Refinements of every filter. */
export interface FilterRefinements {
  /** Makes the value to compare with from each text that was sent; what it throws refuses the text. */
  deserializeUsing(read: (text: string) => unknown): this
  /** true, 1, on and yes are true; false, 0, off, no and nothing are false. */
  asBoolean(): this
  /** Applies when the key is not sent; an empty value lifts it. */
  default(value: PresetValue): this
  /** Applies this value whenever the key is sent, whatever its value. */
  fixed(value: PresetValue): this
  /** Each text must satisfy all of these. */
  constrain(...schemas: readonly Joi.Schema[]): this
  numeric(): this
  integer(): this
  uuid(version?: number): this
  boolean(): this
  /** The whole text matches. */
  pattern(pattern: string | RegExp): this
  describedAs(text: string): this
  /** For other requesters the key is unknown. */
  availableWhen(when: (request: ApiRequest) => boolean): this
}

export interface FilterBuilder<Bound> extends DeclaredFilter<Bound>, FilterRefinements {}
export interface SingularFilter<Bound> extends FilterBuilder<Bound> {
  /** When the key is sent, the answer is one resource or null. */
  singular(): this
}
export interface ListFilter<Bound> extends FilterBuilder<Bound> {
  /** Between the values of a text; a comma when not said. */
  delimiter(character: string): this
}
export interface SingularListFilter<Bound> extends SingularFilter<Bound> {
  delimiter(character: string): this
}
export interface PathFilter<Bound> extends FilterBuilder<Bound> {
  operator(operator: Operator | keyof typeof synonyms): this
}
export interface CustomFilter<Entity, Bound> extends FilterBuilder<Bound> {
  /** Its own condition; undefined refuses the value. */
  condition(make: (value: ParamValue, request: ApiRequest | null) => Condition | undefined): CustomFilter<Entity, true>
  /** A handler given to `filtering({ handlers })`, and the properties it looks at. */
  handledBy(handler: string, ...properties: PropertyName<Entity>[]): CustomFilter<Entity, true>
}

interface PropertyFilter<Entity, Further extends string> {
  <Key extends string>(key: Key): FilterBuilder<OfProperty<Entity, Key>>
  (key: string, property: PropertyName<Entity> | Further): FilterBuilder<true>
}
interface PresentFilter<Entity> {
  <Key extends string>(key: Key): FilterBuilder<OfRelation<Entity, Key>>
  (key: string, relation: RelationName<Entity>): FilterBuilder<true>
}

/** The builders handed to `filters`; those of a relation's `withFilters` may also look at `pivot.<field>`. */
export interface FilterBuilders<Entity, Further extends string = never> {
  /** Compares: `where('longerThan', 'lengthSeconds', '>')`. */
  where<Key extends string>(key: Key): SingularFilter<OfProperty<Entity, Key>>
  where(
    key: string,
    property: PropertyName<Entity> | Further,
    operator?: Operator | keyof typeof synonyms,
  ): SingularFilter<true>
  whereIn<Key extends string>(key: Key): SingularListFilter<OfProperty<Entity, Key>>
  whereIn(key: string, property: PropertyName<Entity> | Further): SingularListFilter<true>
  whereNotIn<Key extends string>(key: Key): SingularListFilter<OfProperty<Entity, Key>>
  whereNotIn(key: string, property: PropertyName<Entity> | Further): SingularListFilter<true>
  /** Ids on the wire: of the resource itself, or of those a relation leads to. */
  whereIdIn(key?: string, relation?: RelationName<Entity> | 'id'): ListFilter<true>
  whereIdNotIn(key?: string, relation?: RelationName<Entity> | 'id'): ListFilter<true>
  /** The presence of the key is enough. */
  readonly whereNull: PropertyFilter<Entity, Further>
  readonly whereNotNull: PropertyFilter<Entity, Further>
  /** A related row exists; the presence of the key is enough. */
  readonly whereHas: PresentFilter<Entity>
  readonly whereDoesntHave: PresentFilter<Entity>
  /** A row at the end of a path of relations: `whereThrough('artist.name')`. */
  whereThrough<Path extends string>(path: Path): PathFilter<OfPath<Entity, Path>>
  whereThrough<Path extends string>(key: string, path: Path): PathFilter<OfPath<Entity, Path>>
  readonly contains: PropertyFilter<Entity, Further>
  readonly startsWith: PropertyFilter<Entity, Further>
  readonly endsWith: PropertyFilter<Entity, Further>
  readonly numeric: PropertyFilter<Entity, Further>
  readonly greaterThan: PropertyFilter<Entity, Further>
  readonly greaterThanOrEqual: PropertyFilter<Entity, Further>
  readonly lessThan: PropertyFilter<Entity, Further>
  readonly lessThanOrEqual: PropertyFilter<Entity, Further>
  readonly boolean: PropertyFilter<Entity, Further>
  /** `filter[key][min]`, `filter[key][max]`, both inclusive. */
  readonly range: PropertyFilter<Entity, Further>
  /** A range over ISO 8601 dates and times. */
  readonly dateRange: PropertyFilter<Entity, Further>
  /** The value goes to every child; their keys are not parameters. */
  whereAll(key: string, ...children: DeclaredFilter[]): FilterBuilder<true>
  whereAny(key: string, ...children: DeclaredFilter[]): FilterBuilder<true>
  /** A related row meets MikroORM's where, given or made from the value. */
  whereHasMatching<Name extends RelationName<Entity>>(
    key: string,
    relation: Name,
    where: FilterQuery<RelatedOf<Entity, Name>> | ((value: ParamValue) => FilterQuery<RelatedOf<Entity, Name>>),
  ): FilterBuilder<true>
  /** A filter of the author's own making. */
  custom(key: string): CustomFilter<Entity, 'A custom filter needs condition() or handledBy().'>
}
