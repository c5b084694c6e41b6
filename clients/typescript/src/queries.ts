import type { Optional } from './inputs.ts'
import type { FieldName, Names, TypesIn } from './rows.ts'

// The types of query parameters.

/** The paths that `include` accepts, and those of a request without it. */
export type Includes<Types, Type> = Names<Types, Type, 'includes'>
export type DefaultIncludes<Types, Type> = Names<Types, Type, 'defaultIncludes'> & Includes<Types, Type>

/** Without fieldsets, all fields of all types. */
export type AllFields = Record<never, never>

/** Names per type: `{ artists: ['name'] }`. */
export type Fieldsets<Types, In extends string> = {
  readonly [Type in In]?: readonly FieldName<Types, Type>[]
}

/** The error for a fieldset of a type that the response does not contain. */
type OtherTypes<Fields, Names> = {
  readonly [Type in Exclude<
    keyof Fields,
    Names
  >]: `The response contains no '${Type & string}'; include a relation to it.`
}

/** The parameters of a request whose response contains resources of a type. */
export interface ReadQuery<Types, Type extends string, Paths, Fields> {
  /** Paths of relations to resolve to objects. Default: the default includes of the type. */
  readonly include?: readonly Paths[]
  /** The fields of each type; default: all. Names relations as well. */
  readonly fields?: Fields & OtherTypes<Fields, TypesIn<Types, Type, Paths>>
  /** Relations whose members are counted: `row.$counts`. */
  readonly withCount?: readonly Exclude<Names<Types, Type, 'counts'>, '_self_'>[]
}

export type Sort<Key> = Key | `-${Key & string}`

/** The parameters of a collection. */
export type CollectionQuery<Filters, Sorts, Page, Counts> = Optional<'filter', Filters> & {
  readonly sort?: Sort<Sorts> | readonly Sort<Sorts>[]
  readonly page?: Page
  /** Names to count; `_self_` counts the collection: `page.meta.page.total`. */
  readonly withCount?: readonly Counts[]
}

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameters that the types do not cover. */
  readonly params?: Readonly<Record<string, string>>
}

/** Options of writes. */
export interface WriteOptions extends RequestOptions {
  /** Sent as `Idempotency-Key`. `true` sends a random UUID. A write with a key is retried like a read. */
  readonly idempotencyKey?: string | true
}

/** Options of writes of an existing resource. */
export interface ChangeOptions extends WriteOptions {
  /** The entity tag that the resource must have: `row.$etag`. Otherwise the write fails with 412. */
  readonly ifMatch?: string
}
