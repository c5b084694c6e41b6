import type { RelationSchema, TypeSchema } from './schema.ts'

// The types of rows: resources as plain objects, with their attributes and relations as members. Member names of JSON:API
// contain no `$`.

export type TypeName<Types> = keyof Types & string
/** A member of the description of a type. */
export type Part<Types, Type, Key extends keyof TypeSchema> = Type extends keyof Types
  ? Types[Type][Key & keyof Types[Type]]
  : never
/** The same as a union of names. `keyof` makes the compiler print the names in messages instead of this type. */
export type Names<Types, Type, Key extends keyof TypeSchema> = keyof {
  [Name in Part<Types, Type, Key> & string as Name extends string ? Name : never]: true
}
export type RelationsOf<Types, Type> = Part<Types, Type, 'relations'>
export type RelationOf<Types, Type, Name> = Name extends keyof RelationsOf<Types, Type>
  ? RelationsOf<Types, Type>[Name]
  : never
/** A member of the description of a relation. */
export type RelationPart<Relation, Key extends keyof RelationSchema> = Relation extends {
  readonly [Name in Key]: infer Value
}
  ? Value
  : never
/** The names of the related types. */
export type TargetOf<Types, Type, Name> = RelationPart<RelationOf<Types, Type, Name>, 'to'> & string

/** A resource identifier. A row is one as well. */
export interface Ref<Type extends string = string> {
  readonly type: Type
  readonly id: string
}

/** Members of every row beside its fields. */
interface RowBase {
  readonly $meta?: Readonly<Record<string, unknown>>
  readonly $links?: Readonly<Record<string, unknown>>
  /** The numbers of members of relations that `withCount` names. */
  readonly $counts?: Readonly<Record<string, number>>
}

/** The entity tag of a resource that `get`, `create` or `update` returns. */
export type Tagged<Types, Type> =
  Part<Types, Type, 'etags'> extends true ? { readonly $etag: string } : { readonly $etag?: string }

/** The first relation of each include path, and what follows a relation. */
export type Heads<Paths> = Paths extends `${infer Head}.${string}` ? Head : Paths
export type Tails<Paths, Head> = Paths extends `${Head & string}.${infer Tail}` ? Tail : never

/** The names in a fieldset of a type; all names without one. */
type Shown<Fields, Type> = Type extends keyof Fields
  ? Fields[Type] extends readonly (infer Name)[]
    ? Name
    : string
  : string

/** A resource of a type, with the relations in `Paths` resolved, the fields limited by `Fields`, and the members of `Other`. */
export type Row<Types, Type extends string, Paths = never, Fields = unknown, Other = unknown> = Type extends keyof Types
  ? Ref<Type> &
      RowBase &
      Other &
      Attributes<Part<Types, Type, 'attributes'>, Shown<Fields, Type>> &
      Relations<Types, Type, Paths, Fields, Shown<Fields, Type>> extends infer All
    ? // One object type, which the compiler prints in messages instead of its parts.
      { [Key in keyof All]: All[Key] }
    : never
  : Ref<Type> & RowBase & Other

type Attributes<All, Names> = { readonly [Name in keyof All as Name extends Names ? Name : never]: All[Name] }

/** The relations that are included, and those whose linkage is in every response. */
type Relations<Types, Type extends keyof Types, Paths, Fields, Names> = {
  readonly [Name in keyof RelationsOf<Types, Type> as Name extends Names
    ? Name extends Heads<Paths>
      ? Name
      : RelationsOf<Types, Type>[Name] extends { readonly linked: true }
        ? Name
        : never
    : never]: Members<
    Types,
    RelationsOf<Types, Type>[Name],
    Name extends Heads<Paths> ? true : false,
    Tails<Paths, Name>,
    Fields
  >
}

type Members<Types, Relation, IsIncluded, Paths, Fields> = Relation extends {
  readonly to: infer To extends string
  readonly many: infer Many
  readonly pivot: infer Pivot
}
  ? OneOrMany<Many, (IsIncluded extends true ? Row<Types, To, Paths, Fields> : IdentifierOf<To>) & WithPivot<Pivot>>
  : never

type IdentifierOf<To> = To extends string ? Ref<To> & Pick<RowBase, '$meta'> : never
type OneOrMany<Many, One> = Many extends true ? readonly One[] : One | null
type WithPivot<Pivot> = [keyof Pivot] extends [never] ? unknown : { readonly $meta?: { readonly pivot: Pivot } }

/** The names of fields of a type. */
export type FieldName<Types, Type> = Type extends keyof Types
  ? (keyof Part<Types, Type, 'attributes'> | keyof RelationsOf<Types, Type>) & string
  : never

/** The types that a response with these includes may contain. */
export type TypesIn<Types, Type extends string, Paths> =
  | Type
  | ([Paths] extends [never]
      ? never
      : {
          [Name in Heads<Paths> & keyof RelationsOf<Types, Type>]: TypesIn<
            Types,
            TargetOf<Types, Type, Name>,
            Tails<Paths, Name>
          >
        }[Heads<Paths> & keyof RelationsOf<Types, Type>])
