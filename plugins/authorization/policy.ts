import type { ErrorFactory } from '#kernel/errors'
import type {
  Awaitable,
  Context,
  Identifier,
  OperationKind,
  Principal,
  RecordOf,
  RelatedOf,
  ResourceType,
  ToOneName,
} from '#kernel/plugin'
import type { RowFilter } from '#kernel/queries'

export type Ability = 'viewAny' | 'view' | 'create' | 'update' | 'delete'

/**
 * Overrides, per kind of operation, the policy method that authorizes it. A string names another method. `false` skips
 * the check and documents the operation as public; `true` skips the check and documents it as secured. None of them
 * changes which rows are visible: that is `scope`.
 */
export type Abilities = Readonly<Partial<Record<AbilityKey, string | boolean>>>

type AbilityKey = 'list' | 'read' | 'create' | 'update' | 'delete'

/** The policy method that authorizes an operation unless `abilities` overrides it. */
export const defaultAbilities: Readonly<Record<AbilityKey, Ability>> = {
  list: 'viewAny',
  read: 'view',
  create: 'create',
  update: 'update',
  delete: 'delete',
}

/** Actions name their ability themselves. */
export type ActionKind = 'Action' | 'FetchAction'

/** The key of `abilities` for an operation. Operations on a relationship are authorized on the parent resource. */
export const abilityKeys: Readonly<Record<Exclude<OperationKind, ActionKind>, AbilityKey>> = {
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

/** Policy methods of the parent type that authorize reads and writes of one relation. */
export interface RelationSecurity {
  readonly read?: string
  readonly mutate?: string
}

/** The row passed to a policy method: the properties of the entity, with each to-one as a nested row or null. */
export type PolicyRow<Entity> = RecordOf<Entity> & {
  readonly [Name in ToOneName<Entity>]: PolicyRow<RelatedOf<Entity, Name>> | null
}

/** A property, or a dotted path through to-one relations: `title`, `owner.email`. */
export type RowPath<Entity> =
  | (keyof RecordOf<Entity> & string)
  | {
      [Name in ToOneName<Entity>]:
        | `${Name}.${keyof RecordOf<RelatedOf<Entity, Name>> & string}`
        | `${Name}.${ToOneName<RelatedOf<Entity, Name>>}.${string}`
    }[ToOneName<Entity>]

/** The columns each policy method reads, by method name. `[]` means no row; a missing entry means the whole row. */
export type Needs<Entity> = Readonly<Record<string, readonly RowPath<Entity>[]>>

/** The attributes and relationships of a write request: parsed, but not validated. */
export interface PolicyInput {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, Identifier | readonly Identifier[] | null>>
}

export interface PolicyContext extends Context {
  /** Present for a create, an update and a relationship write. */
  readonly input?: PolicyInput
}

/**
 * Authorizes reads and writes of one resource type. Fails closed: every return value except `true` (or a filter, for
 * `scope`) denies, including `undefined` and `null`. One instance serves one application.
 */
// biome-ignore lint/suspicious/noExplicitAny: a policy without a type parameter applies to any entity
export abstract class Policy<Entity extends object = any> {
  /** The application does not start if a policy is declared and the plugin is disabled. */
  static readonly requiredPlugin: string = 'authorization'
  /** The columns each method reads: `static override readonly needs = { view: [] } satisfies Needs<Song>`. */
  static readonly needs?: Readonly<Record<string, readonly string[]>>
  /** The errors that its methods throw, as `defineError` returns them. */
  static readonly errors?: readonly ErrorFactory[]
  /** Accepts a `view` that depends on the row without a `scope`: `view` then filters results in the application. */
  static readonly rowsByView?: boolean
  /** Accepts writes that move the written row out of `scope`. */
  static readonly writesOutsideScope?: boolean

  /** Runs before every ability. `true` allows, `undefined` continues with the ability, any other value denies. */
  before?(principal: Principal | null, ability: string, context: PolicyContext): Awaitable<boolean | undefined>
  /** Returns the filter of visible rows. `true` (or no method) makes all rows visible, any other value none. */
  scope?(principal: Principal | null, context: Context): Awaitable<boolean | RowFilter<Entity>>
  /** Allows listing the type. */
  viewAny?(principal: Principal | null, context: PolicyContext): Awaitable<boolean>
  /** Allows showing the row: as primary data, related resource, linkage or included resource. */
  view?(principal: Principal | null, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  create?(principal: Principal | null, input: PolicyInput, context: PolicyContext): Awaitable<boolean>
  /** Allows changing the row. Receives the stored row; `context.input` holds the requested changes. */
  update?(principal: Principal | null, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  delete?(principal: Principal | null, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  /** Replaces `update` for a write that only adds the row to, or removes it from, a many-to-many relation. */
  linkable?(principal: Principal | null, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
  /** Allows the row as it is after the write. Runs before the commit; a denial rolls the write back. */
  check?(principal: Principal | null, row: PolicyRow<Entity>, context: PolicyContext): Awaitable<boolean>
}

export interface PolicyClass<Entity> {
  new (): Policy<Entity & object>
  readonly name: string
  readonly requiredPlugin: string
  readonly needs?: Readonly<Record<string, readonly string[]>>
  readonly errors?: readonly ErrorFactory[]
  readonly rowsByView?: boolean
  readonly writesOutsideScope?: boolean
}

/** `policy: open` allows every requester to read and write the type. */
export const open = 'open'

/** Returns the policy class of a declaration, or undefined if it has none or is `open`. */
export function readPolicyClass({
  policy,
}: {
  readonly policy?: PolicyClass<never> | typeof open
}): PolicyClass<never> | undefined {
  return policy === open ? undefined : policy
}

/** The name of a policy method in errors and logs: `LabelPolicy.update`. */
export function policyMethod({ name, declaration }: ResourceType, method: string): string {
  return `${readPolicyClass(declaration)?.name || `policy of ${name}`}.${method}`
}
