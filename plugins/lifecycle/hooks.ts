import type { LinkageMode } from '#kernel/operations'
import type { ApiRequest, ApiResponse, Context, Identifier, RecordOf, Relation, Row, ToOneName } from '#kernel/plugin'

/** The last parameter of a hook. */
export interface HookContext {
  /** Null if the program dispatched the operation. */
  readonly request: ApiRequest | null
  readonly serverName: string
  readonly type: string
  /** The context of the operation; database access goes through `context.unit`. */
  readonly context: Context
}

export interface AfterContext extends HookContext {
  /** The response that is sent unless the hook returns another; status 204 is sent without a body. */
  readonly response: ApiResponse
}

export interface FetchContext extends HookContext {
  /** Undefined for the parent of a related or relationship read, where a returned response has no effect. */
  readonly response?: ApiResponse
}

export interface RelationHookContext extends HookContext {
  readonly relation: Relation
  /** The identifiers that were sent; empty if a to-one is set to null. */
  readonly linkage: readonly Identifier[]
  readonly mode: LinkageMode
}

export interface ActionHookContext extends HookContext {
  /** The name of the action. */
  readonly action: string
}

export interface AfterActionContext extends ActionHookContext, AfterContext {}

export interface AfterRelationContext extends RelationHookContext, AfterContext {}

/** The values of an entity before it was changed, to-one references included. */
export type Original<Entity> = RecordOf<Entity> & { readonly [Name in ToOneName<Entity>]: Entity[Name] }

/** The parameter of the listeners of each event, in the order of the events. */
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
  BeforeAction: ActionHookContext & { readonly subject: object | null }
  BeforeRestore: ActionHookContext & { readonly entity: object }
  BeforeForceDelete: ActionHookContext & { readonly entity: object }
  AfterCreate: AfterContext & { readonly entity: object }
  AfterUpdate: AfterContext & { readonly entity: object }
  AfterSave: AfterContext & { readonly entity: object; readonly creating: boolean }
  AfterDelete: AfterContext & { readonly entity: object }
  AfterRelationshipMutate: AfterRelationContext & { readonly parent: object }
  AfterAction: AfterActionContext & { readonly subject: object | null }
  AfterRestore: AfterActionContext & { readonly entity: object }
  AfterForceDelete: AfterActionContext & { readonly entity: object }
}
export type EventName = keyof Events

/** The events that a resource has a hook for, and the parameters of the hook before its context. */
export const hooks = {
  BeforeSave: ['entity', 'creating'],
  BeforeCreate: ['entity'],
  BeforeUpdate: ['entity', 'original'],
  BeforeDelete: ['entity'],
  BeforeRelationshipMutate: ['parent'],
  BeforeAction: ['subject'],
  BeforeRestore: ['entity'],
  BeforeForceDelete: ['entity'],
  AfterCreate: ['entity'],
  AfterUpdate: ['entity'],
  AfterSave: ['entity', 'creating'],
  AfterDelete: ['entity'],
  AfterRelationshipMutate: ['parent'],
  AfterAction: ['subject'],
  AfterRestore: ['entity'],
  AfterForceDelete: ['entity'],
  AfterFetchOne: ['entity'],
  AfterFetchCollection: ['items'],
} as const satisfies Partial<Record<EventName, readonly string[]>>

export const hookNames = Object.keys(hooks).map(hookName)

/** The hook of an event: `beforeSave` for `BeforeSave`. */
export function hookName(event: string): string {
  return event.charAt(0).toLowerCase() + event.slice(1)
}
