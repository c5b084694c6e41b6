import type {
  ApiRequest,
  ApiResponse,
  Context,
  Identifier,
  LinkageMode,
  RecordOf,
  Relation,
  Row,
  ToOneName,
} from '#kernel/plugin'

/** What a hook is told besides its subject. */
export interface HookContext {
  /** Null when the program itself dispatched the operation. */
  readonly request: ApiRequest | null
  readonly serverName: string
  readonly type: string
  /** The operation's own context: its principal, and its unit, the only way to the database. */
  readonly context: Context
}

export interface AfterContext extends HookContext {
  /** What will be sent unless another answer is returned; one with the status 204 is sent without a body. */
  readonly response: ApiResponse
}

export interface FetchContext extends HookContext {
  /** Not there for the parent of a related or relationship read, where an answer has no effect. */
  readonly response?: ApiResponse
}

export interface RelationHookContext extends HookContext {
  readonly relation: Relation
  /** The identifiers that were sent; none when a to-one is emptied. */
  readonly linkage: readonly Identifier[]
  readonly mode: LinkageMode
}

export interface AfterRelationContext extends RelationHookContext, AfterContext {}

/** The values of an entity before it was changed, to-one references included. */
export type Original<Entity> = RecordOf<Entity> & { readonly [Name in ToOneName<Entity>]: Entity[Name] }

/** What every event tells its listeners, in the order in which they happen. */
export interface Events {
  Serving: { readonly request: ApiRequest; readonly serverName: string }
  BeforeFetchCollection: HookContext
  AfterFetchCollection: AfterContext & { readonly items: readonly Row[] }
  AfterFetchOne: FetchContext & { readonly entity: Row }
  BeforeFetchRelated: HookContext & { readonly parent: Row; readonly relation: Relation }
  BeforeFetchRelationship: HookContext & { readonly parent: Row; readonly relation: Relation }
  BeforeSave: HookContext & { readonly entity: object; readonly creating: boolean }
  BeforeCreate: HookContext & { readonly entity: object }
  BeforeUpdate: HookContext & { readonly entity: object; readonly original: Row }
  BeforeDelete: HookContext & { readonly entity: object }
  BeforeRelationshipMutate: RelationHookContext & { readonly parent: object }
  AfterCreate: AfterContext & { readonly entity: object }
  AfterUpdate: AfterContext & { readonly entity: object }
  AfterSave: AfterContext & { readonly entity: object; readonly creating: boolean }
  AfterDelete: AfterContext & { readonly entity: object }
  AfterRelationshipMutate: AfterRelationContext & { readonly parent: object }
}
export type EventName = keyof Events

/** The events a resource has a hook for, and what the hook is handed before its context. */
export const hooks = {
  BeforeSave: ['entity', 'creating'],
  BeforeCreate: ['entity'],
  BeforeUpdate: ['entity', 'original'],
  BeforeDelete: ['entity'],
  BeforeRelationshipMutate: ['parent'],
  AfterCreate: ['entity'],
  AfterUpdate: ['entity'],
  AfterSave: ['entity', 'creating'],
  AfterDelete: ['entity'],
  AfterRelationshipMutate: ['parent'],
  AfterFetchOne: ['entity'],
  AfterFetchCollection: ['items'],
} as const satisfies Partial<Record<EventName, readonly string[]>>

export const hookNames = Object.keys(hooks).map(hookName)

/** `BeforeSave` is the hook `beforeSave`. */
export function hookName(event: string): string {
  return event.charAt(0).toLowerCase() + event.slice(1)
}
