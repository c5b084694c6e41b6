import type { FactsIn } from '#kernel'

// Computes the filters that clients send from the facts of declared filters.

/** The filters of a type. Soft deletes add one. */
export type FiltersOf<Declaration> = DeclaredFilters<FiltersIn<Declaration>, false> &
  (Declaration extends { readonly softDeletes: true | object } ? { readonly trashed?: 'with' | 'only' } : unknown)

/** The filters that select one resource. */
export type SingularOf<Declaration> = DeclaredFilters<FiltersIn<Declaration>, true>

type FiltersIn<Declaration> = Declaration extends { readonly filters: (...args: never[]) => infer Filters }
  ? Filters
  : readonly []

/** The filters in a list: those that select one resource, or the others. */
export type DeclaredFilters<Filters, Singular> = {
  readonly [Filter in FactsIn<Filters> as IsSingular<Filter> extends Singular ? KeyIn<Filter> : never]?: ValueOf<Filter>
}

type KeyIn<Filter> = Filter extends { readonly key: infer Key extends string } ? Key : never
type IsSingular<Filter> = Filter extends { readonly singular: true } ? true : false

/** The value; null disables a default. */
type ValueOf<Filter> =
  | (Filter extends { readonly reads: infer Read }
      ? Read
      : Filter extends { readonly value: infer Value }
        ? Value
        : never)
  | (Filter extends { readonly default: true } ? null : never)
