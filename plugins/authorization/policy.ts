import type { FilterQuery } from '@mikro-orm/core'
import type { Awaitable, Context, OperationKind, Principal, PropertyName } from '#kernel'

export type Ability = 'viewAny' | 'view' | 'create' | 'update' | 'delete'

/** The ability each operation asks for; on relationships the parent's is asked. */
export const abilities: Readonly<Record<OperationKind, Ability>> = {
  FetchCollection: 'viewAny',
  FetchOne: 'view',
  FetchRelated: 'view',
  FetchRelationship: 'view',
  Create: 'create',
  Update: 'update',
  UpdateRelationship: 'update',
  AddToRelationship: 'update',
  RemoveFromRelationship: 'update',
  Delete: 'delete',
}

/** Per operation: the name of a method of the policy; false checks nothing, true checks nothing but is documented. */
export type Abilities = Readonly<Partial<Record<'list' | 'read' | 'create' | 'update' | 'delete', string | boolean>>>

/** The key under which the ability of an operation may be replaced. */
export const abilityKeys: Readonly<Record<OperationKind, keyof Abilities>> = {
  FetchCollection: 'list',
  FetchOne: 'read',
  FetchRelated: 'read',
  FetchRelationship: 'read',
  Create: 'create',
  Update: 'update',
  UpdateRelationship: 'update',
  AddToRelationship: 'update',
  RemoveFromRelationship: 'update',
  Delete: 'delete',
}

/** Names of methods of the parent's policy. */
export interface RelationSecurity {
  readonly read?: string
  readonly mutate?: string
}

/**
 * The subject is a record on reads and an entity on writes, always as it was before the request. Where no method about
 * changes names a subject, none is made for it.
 */
// biome-ignore lint/suspicious/noExplicitAny: a policy without a type parameter speaks of any entity
export abstract class Policy<Entity extends object = any> {
  /** Without the plugin a declared policy would be ignored: then the application does not start. */
  static readonly needsPlugin: string = 'authorization'
  /** The properties the abilities read; left out, they get the whole row. */
  static readonly needs?: readonly string[]

  /** May settle the matter for every ability; undefined asks the ability. */
  before?(principal: Principal | null, ability: string, context: Context): Awaitable<boolean | undefined>
  /** A filter scopes the rows of the type everywhere: outside it a row does not exist for this requester. */
  viewAny?(principal: Principal | null, context: Context): Awaitable<boolean | FilterQuery<Entity>>
  view?(
    principal: Principal | null,
    subject: Pick<Entity, PropertyName<Entity> & keyof Entity>,
    context: Context,
  ): Awaitable<boolean>
  create?(principal: Principal | null, context: Context): Awaitable<boolean>
  update?(principal: Principal | null, subject: Entity, context: Context): Awaitable<boolean>
  delete?(principal: Principal | null, subject: Entity, context: Context): Awaitable<boolean>
}

export interface PolicyClass<Entity> {
  new (): Policy<Entity & object>
  readonly name: string
  readonly needsPlugin: string
  readonly needs?: readonly string[]
}
