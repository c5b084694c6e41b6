import type { Identifier, Principal } from '#kernel/plugin'

/**
 * The parameter of `dispatch`: `{ kind: 'FetchOne', type: 'albums', id: '1', query: 'include=tracks' }`, or an action:
 * `{ action: 'reissue', type: 'albums', id: '1', attributes: { label: 'XL' } }`.
 */
export type Instruction = Common &
  (
    | { readonly kind: 'FetchCollection' }
    | { readonly kind: 'FetchOne' | 'Delete'; readonly id: string }
    | { readonly kind: 'FetchRelated' | 'FetchRelationship'; readonly id: string; readonly relation: string }
    | ({ readonly kind: 'Create'; readonly id?: string } & Content)
    | ({ readonly kind: 'Update'; readonly id: string } & Content)
    | {
        readonly kind: 'UpdateRelationship' | 'AddToRelationship' | 'RemoveFromRelationship'
        readonly id: string
        readonly relation: string
        readonly data: Linkage
      }
    | ({
        readonly kind?: undefined
        readonly action: string
        /** Of a resource action. */
        readonly id?: string
        /** The raw body, instead of attributes and relationships. */
        readonly body?: unknown
      } & Content)
  )

export interface Common {
  readonly type: string
  /** `default` if omitted. */
  readonly server?: string
  /** A query string, or an object: `{ include: ['tracks'], filter: { title: 'ok' }, page: { size: 5 } }`. */
  readonly query?: string | QueryObject
  /** The operation is authorized for this principal. Without it the program is trusted. */
  readonly principal?: Principal | null
}

export interface Content {
  readonly attributes?: Readonly<Record<string, unknown>>
  /** By name: `{ artist: { type: 'artists', id: '1' }, tracks: [] }`. */
  readonly relationships?: Readonly<Record<string, Linkage>>
}

type Linkage = Identifier | readonly Identifier[] | null

/** A list at the first level or in `fields` becomes a comma-separated list; another nested list becomes `name[]=`. */
export interface QueryObject {
  readonly [name: string]: QueryValue
}
export type QueryValue = string | number | boolean | readonly (string | number)[] | QueryObject
