import type { ApiRequest, Context, LinkageInput, Relation } from '#kernel'

/** The hooks of a resource, in the order in which they are called. */
export const hookNames = [
  'beforeSave',
  'beforeCreate',
  'beforeUpdate',
  'beforeDelete',
  'beforeRelationshipMutate',
  'afterCreate',
  'afterUpdate',
  'afterSave',
  'afterDelete',
  'afterRelationshipMutate',
  'afterFetchOne',
  'afterFetchCollection',
] as const

/** What a hook is told besides its subject. */
export interface HookContext {
  /** Null when the program itself dispatched the operation. */
  readonly request: ApiRequest | null
  readonly serverName: string
  readonly type: string
  /** The operation's own context: its principal, and its unit, the only way to the database. */
  readonly context: Context
}

export interface RelationHookContext extends HookContext {
  readonly relation: Relation
  readonly linkage: readonly LinkageInput[]
  readonly mode: 'replace' | 'add' | 'remove'
}
