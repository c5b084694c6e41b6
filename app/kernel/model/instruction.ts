import type { Identifier } from './operation.ts'
import type { Principal } from './principal.ts'

/** An operation as the program says it: `{ kind: 'FetchOne', type: 'albums', id: '1', query: 'include=tracks' }`. */
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
  )

export interface Common {
  readonly type: string
  /** `default` when left out. */
  readonly server?: string
  /** As in a URL: a text, or `{ include: ['tracks'], filter: { title: 'ok' }, page: { size: 5 } }`. */
  readonly query?: string | QueryObject
  /** On whose behalf: then their rights are asked for. Without it the program is trusted. */
  readonly principal?: Principal | null
}

export interface Content {
  readonly attributes?: Readonly<Record<string, unknown>>
  /** By name: `{ artist: { type: 'artists', id: '1' }, tracks: [] }`. */
  readonly relationships?: Readonly<Record<string, Linkage>>
}

type Linkage = Identifier | readonly Identifier[] | null

/** A list at the first level is a comma list, further inside it is `name[]=`. */
export interface QueryObject {
  readonly [name: string]: QueryValue
}
export type QueryValue = string | number | boolean | readonly (string | number)[] | QueryObject
