import type { FactsIn } from '#kernel'
import type { FieldsOf } from './declarations.ts'

// Computes the filters that clients send from the facts of declared filters.

/** The filters of a type. Soft deletes add one. */
export type FiltersOf<Declaration> = DeclaredFilters<FiltersIn<Declaration>, false, FactsIn<FieldsOf<Declaration>>> &
  (Declaration extends { readonly softDeletes: true | object } ? { readonly trashed?: 'with' | 'only' } : unknown)

/** The filters that select one resource. */
export type SingularOf<Declaration> = DeclaredFilters<FiltersIn<Declaration>, true, FactsIn<FieldsOf<Declaration>>>

type FiltersIn<Declaration> = Declaration extends { readonly filters: (...args: never[]) => infer Filters }
  ? Filters
  : readonly []

/** The filters in a list: those that select one resource, or the others. `Fields` are the facts of the filtered fields. */
export type DeclaredFilters<Filters, Singular, Fields = never> = {
  readonly [Filter in FactsIn<Filters> as IsSingular<Filter> extends Singular ? KeyIn<Filter> : never]?: ValueOf<
    Filter,
    Fields
  >
}

type KeyIn<Filter> = Filter extends { readonly key: infer Key extends string } ? Key : never
type IsSingular<Filter> = Filter extends { readonly singular: true } ? true : false

/** The value; null disables a default. No union by itself, so that the compiler prints the values in messages. */
type ValueOf<Filter, Fields> = Filter extends { readonly default: true }
  ? SentValue<Filter, Fields> | null
  : SentValue<Filter, Fields>
type SentValue<Filter, Fields> = Filter extends { readonly reads: infer Read }
  ? Read
  : Filter extends { readonly value: infer Value }
    ? Listed<Value, ValuesOf<Filter, Fields>>
    : never

/** A value, or a list, of the values that the attribute lists; any value of the property if it lists none. */
type Listed<Value, Values> = [Values] extends [never]
  ? Value
  : unknown extends Values
    ? Value
    : Value extends readonly unknown[]
      ? readonly Values[]
      : Values

/** The values of the attribute that a filter compares for equality: never without an attribute, unknown without a list. */
type ValuesOf<Filter, Fields> = Filter extends { readonly ruled: true }
  ? never
  : Filter extends { readonly equals: infer Property extends string }
    ? ValuesAt<Fields, Property>
    : never
type ValuesAt<Field, Property> = Field extends { readonly kind: infer Kind; readonly name: infer Name }
  ? (Field extends { readonly storedAs: infer Stored } ? Stored : Name) extends Property
    ? Field extends { readonly computed: true } | { readonly on: true }
      ? never
      : Field extends { readonly values: infer Values; readonly converted?: never }
        ? Kind extends 'string' | 'integer' | 'decimal'
          ? Values
          : unknown
        : unknown
    : never
  : never
