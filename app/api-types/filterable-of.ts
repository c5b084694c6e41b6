import type { FactsIn } from '#kernel'
import type { AttributesOf } from './fields-of.ts'

// Computes the fields that expressions name, which the plugin `filter-expressions` reads, from the facts of fields.

/** The kinds of filterable fields by name: which operators an attribute accepts, or `relation`. */
export type FilterableOf<Entity, Fields> = {
  readonly [Field in Extract<FactsIn<Fields>, { readonly filterable: true }> as Field extends {
    readonly name: infer Name extends string
  }
    ? Name
    : never]: Field extends { readonly to: unknown } ? 'relation' : KindOf<Field, AttributesOf<Entity, Fields, 'read'>>
}

/** A text that is one of several values has no order and no parts. */
type KindOf<Field, Attributes> = Field extends { readonly name: infer Name; readonly kind: infer Kind }
  ? Kind extends 'string' | 'email' | 'url' | 'slug'
    ? Name extends keyof Attributes
      ? string extends Attributes[Name]
        ? 'text'
        : 'equal'
      : 'text'
    : Kind extends 'integer' | 'decimal' | 'dateTime' | 'date' | 'time'
      ? 'ordered'
      : 'equal'
  : never
