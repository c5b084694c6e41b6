import type { ApiResponse, Awaitable, Plugin, RecordOf } from '#kernel'
import type { HookContext, RelationHookContext } from './hooks.ts'
import { hookNames } from './hooks.ts'

export type { HookContext, RelationHookContext } from './hooks.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /** The entity is changed and valid, not saved; what is thrown here ends the write. */
    readonly beforeSave?: (entity: Entity, creating: boolean, ctx: HookContext) => Awaitable<void>
    readonly beforeCreate?: (entity: Entity, ctx: HookContext) => Awaitable<void>
    /** `original` holds the values before the change. */
    readonly beforeUpdate?: (entity: Entity, original: RecordOf<Entity>, ctx: HookContext) => Awaitable<void>
    readonly beforeDelete?: (entity: Entity, ctx: HookContext) => Awaitable<void>
    /** The write is committed; a response returned here is sent instead. */
    readonly afterCreate?: (entity: Entity, ctx: HookContext) => Awaitable<ApiResponse | undefined>
    readonly afterUpdate?: (entity: Entity, ctx: HookContext) => Awaitable<ApiResponse | undefined>
    readonly afterSave?: (entity: Entity, creating: boolean, ctx: HookContext) => Awaitable<ApiResponse | undefined>
    readonly afterDelete?: (entity: Entity, ctx: HookContext) => Awaitable<ApiResponse | undefined>
    readonly beforeRelationshipMutate?: (parent: Entity, ctx: RelationHookContext) => Awaitable<void>
    readonly afterRelationshipMutate?: (parent: Entity, ctx: RelationHookContext) => Awaitable<ApiResponse | undefined>
    /** The record is read and may be seen; its relations are not loaded. */
    readonly afterFetchOne?: (record: RecordOf<Entity>, ctx: HookContext) => Awaitable<ApiResponse | undefined>
    readonly afterFetchCollection?: (
      records: readonly RecordOf<Entity>[],
      ctx: HookContext,
    ) => Awaitable<ApiResponse | undefined>
  }
}

/** Functions of a resource that are called around its reads and writes. */
export function lifecycle(): Plugin {
  return {
    name: 'lifecycle',
    keys: hookNames,
    dormant: hookNames,

    onCompile(registry) {
      for (const type of registry.types.values()) {
        for (const name of hookNames) {
          const hook: unknown = type.declaration[name]
          if (hook !== undefined && typeof hook !== 'function') registry.fail(type, name, 'A hook is a function.')
        }
      }
    },
  }
}
