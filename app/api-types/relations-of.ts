import type { FactsIn } from '#kernel'
import type { DefaultPage, NoMembers, PageMembers, Simplify } from './declarations.ts'
import type { AttributesOf } from './fields-of.ts'
import type { DeclaredFilters } from './filters-of.ts'

// Computes the relations of a type from the facts of fields.

/** The relations of a list of fields. `Names` are the types of the server: others can be linked, not read. */
export type RelationsOf<Fields, Names, Types> = {
  readonly [Field in Extract<FactsIn<Fields>, { to: unknown }> as Field extends { readonly hidden: true }
    ? never
    : NameIn<Field>]: RelationOf<Field, Names, Types>
}

type NameIn<Field> = Field extends { readonly name: infer Name extends string } ? Name : never

interface RelationOf<Field, Names, Types> {
  readonly to: Field extends { readonly to: infer Type } ? Type : never
  readonly many: Field extends { readonly many: infer Many } ? Many : never
  readonly linked: Field extends { readonly linked: true } | { readonly withData: true }
    ? IsServed<Field, Names>
    : false
  readonly on: SentOn<Field>
  readonly required: Field extends { readonly required: true } ? true : false
  readonly nullable: Field extends { readonly many: true } | { readonly required: true } ? false : true
  readonly related: Field extends { readonly withoutRelatedEndpoint: true } ? false : IsServed<Field, Names>
  readonly linkage: Field extends { readonly withoutRelationshipEndpoint: true } ? false : true
  readonly includable: Field extends { readonly cannotBeIncluded: true } ? false : IsServed<Field, Names>
  readonly writes: WritesOf<Field>
  readonly filters: Simplify<
    (Field extends { readonly filters: infer Filters } ? DeclaredFilters<Filters, boolean> : unknown) &
      OfTarget<Field, Types, 'filters', NoMembers> &
      OfTarget<Field, Types, 'singular', NoMembers>
  >
  readonly sorts:
    | (Field extends { readonly sorts: infer Sorts extends string } ? Sorts : never)
    | (Field extends { readonly many: true } ? OfTarget<Field, Types, 'sorts', never> : never)
    | (Field extends { readonly pivot: { readonly fields: infer Fields } } ? PivotSorts<Fields> : never)
  readonly page: Field extends { readonly many: true }
    ? Field extends { readonly paginator: infer Paginator }
      ? PageMembers<Paginator>
      : OfTarget<Field, Types, 'page', DefaultPage>
    : never
  readonly counts: Field extends { readonly countable: true } ? '_self_' : never
  readonly pivot: Field extends { readonly pivot: infer Pivot } ? PivotOf<Pivot, 'read'> : NoMembers
  readonly pivotInput: Field extends { readonly pivot: infer Pivot } ? PivotOf<Pivot, 'create'> : NoMembers
  readonly path: Field extends { readonly path: infer Path } ? Path : NameIn<Field>
}

/** What the related type accepts, which its relations accept as well, unless they are polymorphic. */
type OfTarget<Field, Types, Key extends string, Otherwise> = Field extends {
  readonly to: infer Type
  readonly polymorphic?: never
}
  ? Type extends keyof Types
    ? Types[Type] extends { readonly [Name in Key]: infer Value }
      ? Value
      : never
    : Otherwise
  : Otherwise

/** Whether the server offers all related types. Without one of them, responses omit the members. */
type IsServed<Field, Names> = Field extends { readonly to: infer Type }
  ? [Type] extends [Names]
    ? true
    : false
  : false

type SentOn<Field> = Field extends { readonly readOnly: true }
  ? never
  :
      | (Field extends { readonly readOnlyOnCreate: true } ? never : 'create')
      | (Field extends { readonly readOnlyOnUpdate: true } | { readonly cannotReplace: true } ? never : 'update')

type WritesOf<Field> = Field extends { readonly readOnly: true } | { readonly readOnlyOnUpdate: true }
  ? never
  :
      | (Field extends { readonly cannotReplace: true } ? never : 'replace')
      | (Field extends { readonly many: true }
          ?
              | (Field extends { readonly cannotAdd: true } ? never : 'add')
              | (Field extends { readonly cannotRemove: true } ? never : 'remove')
          : never)

/** The pivot fields with a column that all clients may read. */
type PivotSorts<Fields> = NameIn<
  Exclude<
    FactsIn<Fields>,
    | { readonly hidden: unknown }
    | { readonly hiddenFor: true }
    | { readonly writeOnly: unknown }
    | { readonly computed: true }
  >
>

type PivotOf<Pivot, Use extends 'read' | 'create'> = Pivot extends {
  readonly association: infer Association
  readonly fields: infer Fields
}
  ? AttributesOf<Association, Fields, Use>
  : NoMembers
