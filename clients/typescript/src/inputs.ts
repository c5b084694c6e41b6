import type { Local } from './batch-types.ts'
import type { Part, Ref, RelationsOf } from './rows.ts'

// The types of linkage, and of the options of creates and updates.

/** Linkage to send: rows, identifiers, or null for an empty to-one. */
export type LinkageInput<Relation, Target = Ref> = Relation extends {
  readonly to: infer To extends string
  readonly many: infer Many
  readonly pivotInput: infer Pivot
}
  ? Many extends true
    ? readonly Member<To, Pivot, Target>[]
    : Member<To, Pivot, Target> | null
  : never

type Member<To, Pivot, Target> = (To extends string ? Ref<To> | (Target extends Local ? Local<To> : never) : never) &
  ([keyof Pivot] extends [never] ? unknown : { readonly pivot?: Pivot })

/** The relations of a create or an update. */
export type RelationsInput<Relations, On, Target = Ref> = {
  readonly [Name in keyof Relations as IsSent<Relations[Name], On, false> extends true ? Name : never]?: LinkageInput<
    Relations[Name],
    Target
  >
} & {
  readonly [Name in keyof Relations as IsSent<Relations[Name], On, true> extends true ? Name : never]: Exclude<
    LinkageInput<Relations[Name], Target>,
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
type Optional<Name extends string, Value> = [keyof Value] extends [never]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

export type Rest<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options]

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
