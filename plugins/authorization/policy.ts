import type { FilterQuery } from '@mikro-orm/core'
import type {
  Awaitable,
  Context,
  Identifier,
  OperationKind,
  Principal,
  RecordOf,
  RelatedOf,
  ToOneName,
} from '#kernel/plugin'

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

/**
 * Per operation: the name of another method of the policy; false checks nothing and is documented as public, true
 * checks nothing and is documented as secured. None of them changes which rows exist: that is `scope`.
 */
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

/** The row a method receives: the properties of the entity, and its to-ones as objects of the same kind. */
export type PolicyRow<Entity> = RecordOf<Entity> & {
  readonly [Name in ToOneName<Entity>]: PolicyRow<RelatedOf<Entity, Name>> | null
}

/** A property, or a dotted path over to-ones: `title`, `owner.email`. */
export type RowPath<Entity> =
  | (keyof RecordOf<Entity> & string)
  | {
      [Name in ToOneName<Entity>]:
        | `${Name}.${keyof RecordOf<RelatedOf<Entity, Name>> & string}`
        | `${Name}.${ToOneName<RelatedOf<Entity, Name>>}.${string}`
    }[ToOneName<Entity>]

/** What a method reads of its row, by the name of the method; `[]` is no row, a missing entry the whole row. */
export type Needs<Entity> = Readonly<Record<string, readonly RowPath<Entity>[]>>

/** What a write was sent with; parsed, not validated. */
export interface PolicyInput {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, Identifier | readonly Identifier[] | null>>
}

export interface PolicyContext extends Context {
  /** Of a create, an update or a relationship write. */
  readonly input?: PolicyInput
}

type Who = Principal | null

/**
 * Decides who may read and write the rows of a type. It fails closed: every answer but `true` (or a filter, for
 * `scope`) is a denial, `undefined` and `null` included. An instance serves one application.
 */
// biome-ignore lint/suspicious/noExplicitAny: a policy without a type parameter speaks of any entity
export abstract class Policy<Entity extends object = any> {
  /** The application does not start with the policy declared and the plugin disabled. */
  static readonly needsPlugin: string = 'authorization'
  /** What each method reads of its row: `static override readonly needs = { view: [] } satisfies Needs<Song>`. */
  static readonly needs?: Readonly<Record<string, readonly string[]>>
  /** Allows a `view` that depends on the row in a policy without `scope`: every row is asked about and may be left out. */
  static readonly rowsByView?: boolean
  /** Allows writes whose result the writer cannot see. */
  static readonly writesOutsideScope?: boolean

  /** Called before every ability: `true` allows, `undefined` leaves it to the ability, anything else denies. */
  before?(principal: Who, ability: string, context: PolicyContext): Awaitable<boolean | undefined>
  /** The rows that exist for this requester: a filter, `true` for all of them (as without the method) or `false`. */
  scope?(principal: Who, context: Context): Awaitable<boolean | FilterQuery<Entity>>
  /** May they list the type? */
  viewAny?(principal: Who, context: PolicyContext): Awaitable<boolean>
  /** May they see the row? Asked wherever a row is shown. */
  view?(principal: Who, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  create?(principal: Who, input: PolicyInput, context: PolicyContext): Awaitable<boolean>
  /** Asked about the row as it is stored; `context.input` is what was sent. */
  update?(principal: Who, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  delete?(principal: Who, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  /** Asked in place of `update` when only the membership of the row in a many-to-many changes. */
  linkable?(principal: Who, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  /** May the row stay as it is after the write? Asked before the commit. */
  check?(principal: Who, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
}

export interface PolicyClass<Entity> {
  new (): Policy<Entity & object>
  readonly name: string
  readonly needsPlugin: string
  readonly needs?: Readonly<Record<string, readonly string[]>>
  readonly rowsByView?: boolean
  readonly writesOutsideScope?: boolean
}

/** `policy: open` says that everyone may read and write the type. */
export const open = 'open'

/** The policy of a declaration; undefined when it has none or is open. */
export function policyClassOf({
  policy,
}: {
  readonly policy?: PolicyClass<never> | typeof open
}): PolicyClass<never> | undefined {
  return policy === open ? undefined : policy
}
