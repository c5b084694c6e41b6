import type { FactsIn, SentValues, Unmarked } from '#kernel'
// Declares the mark of properties with a default, which `Unmarked` removes from the types of attributes.
import type {} from '#store/kernel-types.ts'
import type { Simplify } from './declarations.ts'

// Computes the attributes that clients read and write from the facts of fields.

type Usage = 'read' | 'create' | 'update'

/** The attributes of a list of fields, by usage. */
export type AttributesOf<Entity, Fields, Use extends Usage> = Members<
  Entity,
  Extract<FactsIn<Fields>, { kind: unknown }>,
  Use
>

type Members<Entity, Facts, Use extends Usage> = Simplify<
  {
    readonly [Field in Facts as Presence<Field, Use> extends 'always' ? NameIn<Field> : never]: ValueOf<
      Entity,
      Field,
      Use
    >
  } & {
    readonly [Field in Facts as Presence<Field, Use> extends 'sometimes' ? NameIn<Field> : never]?: ValueOf<
      Entity,
      Field,
      Use
    >
  }
>

type NameIn<Field> = Field extends { readonly name: infer Name extends string } ? Name : never

/** Whether a field is in every document of the usage, in some or in none. */
type Presence<Field, Use extends Usage> = Field extends { readonly hidden: true }
  ? 'never'
  : Use extends 'read'
    ? Field extends { readonly writeOnly: true }
      ? 'never'
      : Field extends
            | { readonly hidden: 'sometimes' }
            | { readonly hiddenFor: true }
            | { readonly sparse: true }
            | { readonly writeOnly: 'sometimes' }
        ? 'sometimes'
        : 'always'
    : Field extends { readonly readOnly: true } | ReadOnlyOn<Use>
      ? 'never'
      : Use extends 'create'
        ? Field extends { readonly required: true }
          ? Field extends { readonly readOnly: 'sometimes' } | { readonly readOnlyOnCreate: 'sometimes' }
            ? 'sometimes'
            : 'always'
          : 'sometimes'
        : 'sometimes'
type ReadOnlyOn<Use> = Use extends 'create' ? { readonly readOnlyOnCreate: true } : { readonly readOnlyOnUpdate: true }

type ValueOf<Entity, Field, Use extends Usage> = Use extends 'read'
  ? Field extends { readonly serialized: infer Value }
    ? Value
    : ByKind<Entity, Field, Use> | (IsNullable<Entity, Field> extends true ? null : never)
  : ByKind<Entity, Field, Use> | (Field extends { readonly nullable: true } ? null : never)

/** A read value is null unless it is the plain value of a column that is not nullable. */
type IsNullable<Entity, Field> = Field extends { readonly nullable: true }
  ? true
  : Field extends { readonly computed: true; readonly extracted: true }
    ? false
    : Field extends
          | { readonly computed: true }
          | { readonly extracted: true }
          | { readonly on: true }
          | { readonly kind: 'map' }
      ? true
      : unknown extends Entity
        ? true
        : null extends StoredIn<Entity, Field>
          ? true
          : false

type StoredIn<Entity, Field> = Entity[(Field extends { readonly storedAs: infer Name } ? Name : NameIn<Field>) &
  keyof Entity]

type ByKind<Entity, Field, Use extends Usage> = Field extends { readonly values: infer Values }
  ? Values
  : Field extends { readonly kind: infer Kind }
    ? Kind extends 'map'
      ? Field extends { readonly children: infer Children }
        ? AttributesOf<Entity, Children, Use>
        : never
      : Kind extends 'obj'
        ? Field extends { readonly children: infer Children }
          ? AttributesOf<unknown, Children, Use>
          : never
        : Kind extends 'oneOf'
          ? Variants<Field, Use>
          : Kind extends 'string' | 'integer' | 'decimal' | 'arrayList' | 'arrayHash'
            ? Stored<Entity, Field, SentValues[Kind]>
            : Kind extends keyof SentValues
              ? SentValues[Kind]
              : never
    : never

/** The type of the property, if it is narrower than that of the kind: a union of texts, or a JSON value. */
type Stored<Entity, Field, Value> = Field extends { readonly computed: true } | { readonly on: true }
  ? Value
  : unknown extends Entity
    ? Value
    : Unmarked<NonNullable<StoredIn<Entity, Field>>> extends infer Property
      ? [Property] extends [never]
        ? Value
        : Property extends Value
          ? Property
          : Value
      : never

/** One object per variant, with the member that selects it. */
type Variants<Field, Use extends Usage> = Field extends { readonly variants: infer Named }
  ? {
      [Name in keyof Named]: Simplify<
        (Use extends 'update'
          ? { readonly [Key in DiscriminatorOf<Field>]?: Name }
          : { readonly [Key in DiscriminatorOf<Field>]: Name }) &
          AttributesOf<unknown, Named[Name], Use>
      >
    }[keyof Named]
  : never
type DiscriminatorOf<Field> = Field extends { readonly discriminator: infer Name extends string } ? Name : 'type'
