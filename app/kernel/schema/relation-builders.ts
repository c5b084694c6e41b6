import type { Builders, Declared } from './builders.ts'
import type { EntityClass, RecordOf, RelatedOf, ToManyName, ToOneName } from './entity-types.ts'
import type { Fact, FactsOf, facts, NameIn, named, Ruled } from './facts.ts'
import type { RelatedModifiers, RelationModifiers, ToManyModifiers, ToOneModifiers } from './modifiers.ts'
import type { Caller } from './principal.ts'

export type Predicate<Args extends unknown[]> = (...args: Args) => boolean
type CallerRule = [when?: Predicate<[caller: Caller | null]>]
type RecordRule<Entity> = [when?: Predicate<[record: Entity | null, caller: Caller | null]>]

export interface RelationFacts<Name, Type, Many, Linked> {
  readonly name: Name
  readonly to: Type
  readonly many: Many
  readonly linked: Linked
}

/** Restrictions of attributes and relations. A function restricts unless it returns false. */
export interface RestrictionModifiers<Entity> {
  readOnly<Rule extends CallerRule>(...rule: Rule): this & Ruled<'readOnly', Rule>
  readOnlyOnCreate<Rule extends CallerRule>(...rule: Rule): this & Ruled<'readOnlyOnCreate', Rule>
  readOnlyOnUpdate<Rule extends CallerRule>(...rule: Rule): this & Ruled<'readOnlyOnUpdate', Rule>
  /** Never rendered; with a function, not rendered for the rows to which it applies. */
  hidden<Rule extends [when?: Predicate<[record: RecordOf<Entity>, caller: Caller | null]>]>(
    ...rule: Rule
  ): this & Ruled<'hidden', Rule>
  /** Hidden from the requesters to which the function applies. Other requesters may sort and filter by the field. */
  hiddenFor(when: Predicate<[caller: Caller]>): this & Fact<{ hiddenFor: true }>
}

interface RelationBase<Entity, Bound, Related, Facts = unknown>
  extends Declared<Bound>,
    RestrictionModifiers<Entity>,
    RelationModifiers<Entity>,
    RelatedModifiers<Related> {
  readonly [named]: NameIn<Facts>
  readonly [facts]: Facts
  /** Renders linkage data in every response. */
  withData(): this & Fact<{ withData: true }>
  /** Renders linkage data instead of links. */
  withoutLinks(): this & Fact<{ withData: true }>
  withoutRelatedEndpoint(): this & Fact<{ withoutRelatedEndpoint: true }>
  withoutRelationshipEndpoint(): this & Fact<{ withoutRelationshipEndpoint: true }>
  /** The URL segment of the relation. */
  withUriFieldName<const Segment extends string>(segment: Segment): this & Fact<{ path: Segment }>
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
  cannotReplace<Rule extends RecordRule<Entity>>(...rule: Rule): this & Ruled<'cannotReplace', Rule>
  cannotAdd<Rule extends RecordRule<Entity>>(...rule: Rule): this & Ruled<'cannotAdd', Rule>
  cannotRemove<Rule extends RecordRule<Entity>>(...rule: Rule): this & Ruled<'cannotRemove', Rule>
}

export interface ToOneBuilder<Entity, Bound, Related, Facts = unknown>
  extends RelationBase<Entity, Bound, Related, Facts>,
    ToOneModifiers<Entity> {
  /** Uses another to-one property of the entity. */
  storedAs<Name extends ToOneName<Entity>>(
    property: Name,
  ): ToOneBuilder<Entity, true, RelatedOf<Entity, Name>, FactsOf<this>>
}
export interface ToManyBuilder<Entity, Bound, Related, Facts = unknown>
  extends RelationBase<Entity, Bound, Related, Facts>,
    ToManyModifiers<Entity> {
  /** Uses another collection of the entity. */
  storedAs<Name extends ToManyName<Entity>>(
    property: Name,
  ): ToManyBuilder<Entity, true, RelatedOf<Entity, Name>, FactsOf<this>>
}
export interface BelongsToManyModifiers {
  /** The association entity: its rows connect the two sides. */
  through<Association extends object>(entity: EntityClass<Association>): this & PivotModifiers<Association>
}
interface PivotModifiers<Association> {
  /** The fields of association rows that are rendered in `meta.pivot` and may be written. */
  fields<const Fields extends readonly Declared[]>(
    declare: (builders: Builders<Association>) => Fields,
  ): this & Fact<{ pivot: { association: Association; fields: Fields } }>
}
