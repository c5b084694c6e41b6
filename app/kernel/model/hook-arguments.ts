import type Koa from 'koa'
import type { Context } from './context.ts'
import type { Relation, Row } from './field.ts'
import type { RelationQuery } from './query.ts'
import type { Exchange } from './request.ts'
import type { ApiResponse } from './response.ts'

/** A relation that is about to be loaded or counted. */
export interface RelationLoad {
  readonly relation: Relation
  readonly query: RelationQuery
  /** The include path of the relation; its name at the first level. */
  readonly path: string
  /** Whether the members are rendered in `included`; otherwise only their linkage is. */
  readonly included: boolean
  /** The parents are the primary data. */
  readonly ofPrimary: boolean
  /** The members are the primary data, and the query was read from the URL. */
  readonly primary?: boolean
  readonly context: Context
  parents: readonly Row[]
}

/** A response that is about to be sent. */
export interface Reply {
  readonly ctx: Koa.Context
  readonly exchange: Exchange
  readonly response: ApiResponse
}
