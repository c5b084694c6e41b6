import { linkageModeOf } from '#kernel/operations'
import type { Operation, OperationKind, ResourceType, Row, Target } from '#kernel/plugin'
import type { EventName, HookContext } from './hooks.ts'

interface WriteEvents {
  /** The entity is changed, not saved. */
  readonly before: readonly EventName[]
  /** The write is committed. */
  readonly after: readonly EventName[]
}

const resourceWrites: Readonly<Partial<Record<OperationKind, WriteEvents>>> = {
  Create: { before: ['BeforeSave', 'BeforeCreate'], after: ['AfterCreate', 'AfterSave'] },
  Update: { before: ['BeforeSave', 'BeforeUpdate'], after: ['AfterUpdate', 'AfterSave'] },
  Delete: { before: ['BeforeDelete'], after: ['AfterDelete'] },
  Action: { before: ['BeforeAction'], after: ['AfterAction'] },
  FetchAction: { before: ['BeforeAction'], after: [] },
}
const relationshipWrite: WriteEvents = {
  before: ['BeforeRelationshipMutate'],
  after: ['AfterRelationshipMutate', 'AfterSave'],
}

export function findWriteEvents({ kind, target }: Operation): WriteEvents {
  return writeEvents(kind, target)
}

/** The events of the writes of an endpoint. `AfterSave` follows every write that keeps the resource. */
export function writeEvents(
  kind: OperationKind,
  { type, relation, action }: { readonly [Name in 'relation' | 'action']?: Target[Name] | null } & Pick<Target, 'type'>,
): WriteEvents {
  const { before, after } = (relation ? relationshipWrite : resourceWrites[kind]) ?? { before: [], after: [] }
  const own = (word: 'Before' | 'After') => (action?.event ? [`${word}${action.event}` as EventName] : [])
  const isKept =
    kind === 'Delete'
      ? type.deletedValues !== null
      : kind === 'Action' && action?.on === 'resource' && action.event !== 'ForceDelete'
  return { before: [...before, ...own('Before')], after: [...after, ...own('After'), ...(isKept ? saved : [])] }
}

const saved = ['AfterSave'] as const

/** The event of a read. A relation with a read ability of its own has the events of the relation instead of the parent's. */
export function readEvent({ kind, relation }: Target): EventName {
  if (kind === 'collection') return 'AfterFetchCollection'
  if (!relation?.hasReadAbility) return 'AfterFetchOne'
  return kind === 'related' ? 'BeforeFetchRelated' : 'BeforeFetchRelationship'
}

export function createHookContext({ context, target }: Operation): HookContext {
  return { request: context.request, serverName: context.server.name, type: target.type.name, context }
}

/** The parameter of the listeners of a write. */
export function describeWrite(operation: Operation, entity: object | null, original?: Row): object {
  const { kind, input } = operation
  const { relation, action } = operation.target
  if (action) return { ...createHookContext(operation), action: action.name, subject: entity, entity }
  if (relation) {
    const linkage = (input?.linkage ?? []).flatMap(({ data }) => data ?? [])
    return { ...createHookContext(operation), parent: entity, relation, linkage, mode: linkageModeOf(kind) }
  }
  return { ...createHookContext(operation), entity, creating: kind === 'Create', ...(original && { original }) }
}

/** A copy of the current values of an entity. */
export function copyRow(entity: object, { shape }: ResourceType): Row {
  const properties = [...shape.properties.values()].filter(({ role }) => role !== 'toMany')
  return Object.fromEntries(properties.map(({ name }) => [name, (entity as Row)[name]]))
}
