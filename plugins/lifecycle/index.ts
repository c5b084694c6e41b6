import Joi from 'joi'
import {
  type ApiRequest,
  type ApiResponse,
  type Awaitable,
  isData,
  isWrite,
  listMembers,
  type MemberWrite,
  type Operation,
  type Plugin,
  type RecordOf,
  type ResourceType,
  type Row,
} from '#kernel/plugin'
import { addNeeds, wholeRow } from '#kernel/queries'
import {
  type Calls,
  callAfterCommit,
  callAfterRead,
  callBefore,
  callsOf,
  findCalls,
  findListeners,
  type Listeners,
} from './calls.ts'
import { describeHooks } from './describe.ts'
import { copyRow, createHookContext, describeWrite, findWriteEvents, readEvent, writeEvents } from './events.ts'
import {
  type ActionHookContext,
  type AfterActionContext,
  type AfterContext,
  type AfterRelationContext,
  type FetchContext,
  type HookContext,
  hookName,
  hookNames,
  type Original,
  type RelationHookContext,
} from './hooks.ts'

import { neededBy } from './needed-by.ts'

export type { Listeners } from './calls.ts'
export type {
  ActionHookContext,
  AfterActionContext,
  AfterContext,
  EventName,
  Events,
  HookContext,
  RelationHookContext,
} from './hooks.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Runs when the entity is changed and valid, before it is saved; an error ends the write. */
    readonly beforeSave?: (entity: Entity, creating: boolean, ctx: HookContext) => Awaitable<void>
    readonly beforeCreate?: (entity: Entity, ctx: HookContext) => Awaitable<void>
    /** `original` holds the values before the change. */
    readonly beforeUpdate?: (entity: Entity, original: Original<Entity>, ctx: HookContext) => Awaitable<void>
    readonly beforeDelete?: (entity: Entity, ctx: HookContext) => Awaitable<void>
    /** Runs after the commit; a returned response is sent instead. An error is logged and does not change the response. */
    readonly afterCreate?: (entity: Entity, ctx: AfterContext) => Awaitable<ApiResponse | undefined>
    readonly afterUpdate?: (entity: Entity, ctx: AfterContext) => Awaitable<ApiResponse | undefined>
    /**
     * Runs after every write that keeps the resource: creates, updates, writes of its relationships, actions on it, soft deletes
     * and restores. For a relationship the entity is the parent.
     */
    readonly afterSave?: (entity: Entity, creating: boolean, ctx: AfterContext) => Awaitable<ApiResponse | undefined>
    readonly afterDelete?: (entity: Entity, ctx: AfterContext) => Awaitable<ApiResponse | undefined>
    readonly beforeRelationshipMutate?: (parent: Entity, ctx: RelationHookContext) => Awaitable<void>
    readonly afterRelationshipMutate?: (parent: Entity, ctx: AfterRelationContext) => Awaitable<ApiResponse | undefined>
    /**
     * Runs when the input of an action is valid, before its handler; an error ends the action. The subject is null for an
     * action of the collection, and a record if the method is GET.
     */
    readonly beforeAction?: (subject: Entity | RecordOf<Entity> | null, ctx: ActionHookContext) => Awaitable<void>
    /** Runs after the commit of an action whose method is not GET. An error is logged. */
    readonly afterAction?: (subject: Entity | null, ctx: AfterActionContext) => Awaitable<void>
    /** Runs before a soft-deleted row is restored; an error ends the action. */
    readonly beforeRestore?: (entity: Entity, ctx: ActionHookContext) => Awaitable<void>
    /** Runs after the commit. An error is logged. */
    readonly afterRestore?: (entity: Entity, ctx: AfterActionContext) => Awaitable<void>
    /** Runs before a row with soft deletes is deleted for good; `beforeDelete` precedes it if the row is not trashed. */
    readonly beforeForceDelete?: (entity: Entity, ctx: ActionHookContext) => Awaitable<void>
    readonly afterForceDelete?: (entity: Entity, ctx: AfterActionContext) => Awaitable<void>
    /** Runs when the record is read and authorized, before its relations are loaded. */
    readonly afterFetchOne?: (record: RecordOf<Entity>, ctx: FetchContext) => Awaitable<ApiResponse | undefined>
    readonly afterFetchCollection?: (
      records: readonly RecordOf<Entity>[],
      ctx: AfterContext,
    ) => Awaitable<ApiResponse | undefined>
  }
}

export interface LifecycleOptions {
  /** Functions that are called for the events of all types: `on: { AfterCreate: announce }`. */
  readonly on?: Listeners
}

/** Functions called around reads and writes: hooks of a resource for its own type, listeners for all types. */
export function lifecycle({ on = {} }: LifecycleOptions = {}): Plugin {
  const originals = new WeakMap<Operation, Row>()
  const written = new WeakMap<Operation, object | null>()
  const serving = findListeners(on, 'Serving')
  return {
    name: 'lifecycle',
    keys: Object.fromEntries(hookNames.map((name) => [name, Joi.function()])),
    neededBy,

    onCompile(registry) {
      const types: Iterable<ResourceType> = registry.types.values()
      for (const type of types) type.hookCalls = findCalls(type, on)
    },

    onQuery({ kind, target }, query) {
      if (isWrite(kind)) return
      if (callsOf(target.type)[readEvent(target)]) addNeeds(query, target.type, wholeRow(target.type))
    },

    plan({ kind, type, relation, action, authorize, check, beforeSave, afterOperation, afterCommit }) {
      if (serving.length > 0) authorize.push(callServing)
      const called = type && callsOf(type)
      if (!kind || !called || Object.keys(called).length === 0) return
      if (!isWrite(kind) || (kind === 'Update' && called.BeforeUpdate)) check.push(onSubject)
      const { before, after } = writeEvents(kind, { type, relation, action })
      if ([...before, ...after].some((name) => called[name])) {
        beforeSave.push(onSave)
        afterCommit.push(onCommit)
      }
      if (kind === 'FetchOne' || kind === 'FetchCollection') afterOperation.push(onFetched)
    },

    planType({ type, checkRows }) {
      if (isCalled(type)) checkRows.push({ of: 'members', check: keepOriginals })
    },

    describe: describeHooks,
  }

  function keepOriginals(type: ResourceType, writes: readonly MemberWrite[]): void {
    if (!callsOf(type).BeforeUpdate) return
    for (const { operation, entity } of writes) originals.set(operation, copyRow(entity, type))
  }

  /** Before an entity is saved, or an action is run. */
  async function onSave(operation: Operation, entity: object | null): Promise<void> {
    const event = describeWrite(operation, entity, originals.get(operation))
    for (const name of findWriteEvents(operation).before) await callBefore(callsOf(operation.target.type)[name], event)
    written.set(operation, entity)
  }

  async function onCommit(operation: Operation, response: ApiResponse): Promise<ApiResponse | undefined> {
    const entity = written.get(operation)
    if (entity === undefined || response.status === 202) return undefined // a job processes the write
    return callAfterWrite(operation, entity, response, callsOf(operation.target.type))
  }

  async function onFetched(operation: Operation, response: ApiResponse): Promise<ApiResponse | undefined> {
    const { kind, target, context } = operation
    if (!context.request || !isData(response)) return undefined
    const items = listMembers(response).map(({ record }) => record)
    const details = kind === 'FetchOne' ? { entity: items[0] } : { items }
    return callAfterRead(
      callsOf(operation.target.type)[readEvent(target)],
      { ...createHookContext(operation), ...details },
      response,
    )
  }

  function isCalled(type: ResourceType): boolean {
    return Object.keys(callsOf(type)).length > 0
  }

  async function callServing(request: ApiRequest): Promise<void> {
    await callBefore(serving, { request, serverName: request.server.name })
  }

  async function onSubject(operation: Operation, subject: object | null): Promise<undefined> {
    const { kind, target, context } = operation
    const called = callsOf(operation.target.type)
    if (kind === 'Update' && called.BeforeUpdate) originals.set(operation, copyRow(subject as object, target.type))
    if (context.request) await callBeforeRead(operation, subject, called)
  }
}

async function callBeforeRead(operation: Operation, subject: object | null, calls: Calls): Promise<void> {
  const { kind, target } = operation
  if (kind === 'FetchCollection') await callBefore(calls.BeforeFetchCollection, createHookContext(operation))
  if (kind !== 'FetchRelated' && kind !== 'FetchRelationship') return
  const event = readEvent(target)
  const details = event === 'AfterFetchOne' ? { entity: subject } : { parent: subject, relation: target.relation }
  await callBefore(calls[event], { ...createHookContext(operation), ...details })
}

/** Calls the hooks after the commit. Logs their errors, because the write is kept. */
async function callAfterWrite(
  operation: Operation,
  entity: object | null,
  committed: ApiResponse,
  calls: Calls,
): Promise<ApiResponse> {
  const { app, sharesUnit } = operation.context
  const event = describeWrite(operation, entity)
  let response = committed
  for (const name of findWriteEvents(operation).after) {
    const fields = { plugin: 'lifecycle', type: operation.target.type.name, hook: hookName(name) }
    const report = (err: unknown) =>
      app.logger?.error({ err, ...fields }, 'A hook failed after the commit; the write is kept')
    const saved = name === 'AfterSave' && { entity, creating: operation.kind === 'Create' }
    response = await callAfterCommit(calls[name], { ...event, ...saved }, response, {
      replaces: !sharesUnit && operation.kind !== 'Action',
      report,
    })
  }
  return response
}
