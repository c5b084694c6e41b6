import type { Local } from './batch-types.ts'
import type { Part, Ref, RelationsOf } from './rows.ts'

// The types of linkage, and of the options of creates and updates.

/** Attributes to send. The type of an object without members would accept every object. */
export type AttributesInput<Attributes> = [keyof Attributes] extends [never] ? Record<string, never> : Attributes

/**
 * Linkage to send: rows, identifiers, or null for an empty to-one. Members of a `New` linkage have the required values of a
 * membership; those of other writes may be linked already.
 */
export type LinkageInput<Relation, Target = Ref, New = false> = Relation extends {
  readonly to: infer To extends string
  readonly many: infer Many
  readonly pivotInput: infer Pivot
}
  ? Many extends true
    ? readonly Member<To, New extends true ? Pivot : Partial<Pivot>, Target>[]
    : Member<To, Pivot, Target> | (Relation extends { readonly nullable: false } ? never : null)
  : never

type Member<To, Pivot, Target> = (To extends string ? Ref<To> | (Target extends Local ? Local<To> : never) : never) &
  Optional<'pivot', Pivot>

/** The relations of a create or an update. */
export type RelationsInput<Relations, On, Target = Ref> = {
  readonly [Name in keyof Relations as IsSent<Relations[Name], On, false> extends true ? Name : never]?: LinkageInput<
    Relations[Name],
    Target,
    On extends 'create' ? true : false
  >
} & {
  readonly [Name in keyof Relations as IsSent<Relations[Name], On, true> extends true ? Name : never]: Exclude<
    LinkageInput<Relations[Name], Target, true>,
    null
  >
}
type IsSent<Relation, On, Required> = Relation extends { readonly on: infer Where; readonly required: infer Needed }
  ? [On] extends [Where]
    ? [On, Needed] extends ['create', true]
      ? Required
      : Required extends true
        ? false
        : true
    : false
  : false

/** The options of a create that depend on the type: relations and the id. Required if one of them is. */
export type NewResource<Types, Type, Target = Ref> = Optional<
  'relations',
  RelationsInput<RelationsOf<Types, Type>, 'create', Target>
> &
  IdInput<Part<Types, Type, 'id'>>
type IdInput<Id> = Id extends 'client'
  ? { readonly id: string }
  : Id extends 'optional'
    ? { readonly id?: string }
    : unknown

/** A member that is required if one of its members is, and absent if there are none. */
export type Optional<Name extends string, Value> = [keyof Value] extends [never]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

/** The options as the last argument; none if there are no options. */
export type Rest<Options> = unknown extends Options
  ? []
  : Partial<Options> extends Options
    ? [options?: Options]
    : [options: Options]

/** The relations with a shape. `keyof` makes the compiler print their names in messages instead of this type. */
export type NamesWith<Relations, Shape> = keyof {
  [Name in keyof Relations as Relations[Name] extends Shape ? Name : never]: true
}
/** The relations that accept a write at their URL. */
export type WritableBy<Relations, Write> = keyof {
  [Name in keyof Relations as Relations[Name] extends { readonly linkage: true; readonly writes: infer Writes }
    ? Write extends Writes
      ? Name
      : never
    : never]: true
}

export type Linkage<Relation> = Relation extends { readonly to: infer To extends string; readonly many: infer Many }
  ? Many extends true
    ? readonly Ref<To>[]
    : Ref<To> | null
  : never
