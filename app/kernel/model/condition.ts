import type { FilterQuery } from '@mikro-orm/core'
import type { Relation } from './field.ts'

export type Comparison = '=' | '!=' | '>' | '>=' | '<' | '<='

/** A closed tree of conditions on the rows of one type. The store compiles it to SQL. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'compare'; readonly property: string; readonly operator: Comparison; readonly value: unknown }
  | { readonly kind: 'in'; readonly property: string; readonly values: readonly unknown[] }
  | { readonly kind: 'null'; readonly property: string }
  /** ASCII case-insensitive; `%` and `_` are ordinary characters. */
  | {
      readonly kind: 'text'
      readonly property: string
      readonly match: 'contains' | 'starts' | 'ends'
      readonly text: string
    }
  /** A related row exists, within the scope of its type, that meets the condition. */
  | { readonly kind: 'exists'; readonly relation: Relation; readonly condition?: Condition }
  /** Of the association row through which the rows are reached: only in a query of a many-to-many. */
  | { readonly kind: 'pivot'; readonly condition: Condition }
  /** A MikroORM where-filter, with MikroORM's meaning. */
  | { readonly kind: 'native'; readonly filter: FilterQuery<object> }
  | { readonly kind: 'never' }

export const all = (...conditions: readonly Condition[]): Condition => ({ kind: 'and', conditions })
export const any = (...conditions: readonly Condition[]): Condition => ({ kind: 'or', conditions })
export const not = (condition: Condition): Condition => ({ kind: 'not', condition })
export const compare = (property: string, operator: Comparison, value: unknown): Condition => ({
  kind: 'compare',
  property,
  operator,
  value,
})
export const isIn = (property: string, values: readonly unknown[]): Condition => ({ kind: 'in', property, values })
export const isNull = (property: string): Condition => ({ kind: 'null', property })
export const textMatch = (property: string, match: 'contains' | 'starts' | 'ends', text: string): Condition => ({
  kind: 'text',
  property,
  match,
  text,
})
export const exists = (relation: Relation, condition?: Condition): Condition =>
  condition ? { kind: 'exists', relation, condition } : { kind: 'exists', relation }
export const ofPivot = (condition: Condition): Condition => ({ kind: 'pivot', condition })
export const native = <Entity extends object>(filter: FilterQuery<Entity>): Condition => ({
  kind: 'native',
  filter: filter as FilterQuery<object>,
})
export const never: Condition = { kind: 'never' }
