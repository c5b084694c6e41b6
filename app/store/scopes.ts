import type { EntityName, FilterQuery } from '@mikro-orm/core'
import { type Condition, type Context, isIn, native, type ResourceType, remember } from '#kernel'
import type { Orm } from './database.ts'
import { toPlain } from './native-filter.ts'
import { unitOf } from './unit.ts'

/** The conditions under which rows of each type may be seen. */
export type Scopes = ReadonlyMap<ResourceType, readonly Condition[]>

/** Asks for the scope of every type a statement touches, the hops of its conditions and of the scopes included. */
export async function resolveScopes(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
): Promise<Scopes> {
  const scopes = new Map<ResourceType, readonly Condition[]>()
  const waiting = new Set(types)
  for (const hop of conditions.flatMap(hops)) waiting.add(hop)
  for (const type of waiting) {
    const scope = await askScope(type, context)
    if (scope.length === 0) continue
    scopes.set(type, scope)
    for (const hop of scope.flatMap(hops)) waiting.add(hop)
  }
  return scopes
}

/** Filters of MikroORM may change while a unit lives: what they say is asked for each statement. */
async function askScope(type: ResourceType, context: Context): Promise<readonly Condition[]> {
  const own = await context.scope(type)
  const filter = await entityFilter(type, context)
  const kind = kindOfRow(type, context)
  const conditions = [...(kind ? [kind] : []), ...(own ? [own] : []), ...(filter ? [native(filter)] : [])]
  return conditions.map((condition) => toPlain(condition, type, unitOf(context).orm))
}

/** MikroORM's entity filters that are on by default: soft deletes, tenants. */
async function entityFilter(type: ResourceType, context: Context): Promise<FilterQuery<object> | undefined> {
  const unit = unitOf(context)
  const unfiltered = unfilteredOf(unit.orm)
  if (unfiltered.has(type) && !unit.ownsFilters) return undefined
  const nothing: FilterQuery<object> = {}
  const filter = await unit.em.applyFilters(type.entity, nothing, {}, 'read')
  if (filter === nothing) unfiltered.add(type)
  return filter && Object.keys(filter).length > 0 ? filter : undefined
}

const unfilteredTypes = new WeakMap<object, Set<ResourceType>>()

/** Types no filter speaks of; a filter that is added later may. */
function unfilteredOf({ em }: Orm): Set<ResourceType> {
  return remember(unfilteredTypes, em, () => {
    const types = new Set<ResourceType>()
    const { addFilter } = em
    em.addFilter = (options) => {
      types.clear()
      addFilter.call(em, options)
    }
    return types
  })
}

/** Entities that share one table are told apart by a column; the root of them stands for all. */
function kindOfRow(type: ResourceType, context: Context): Condition | undefined {
  const metadata = unitOf(context).orm.getMetadata()
  const meta = metadata.get(type.entity)
  const { inheritanceType, discriminatorColumn, discriminatorMap = {} } = meta.root
  if (inheritanceType !== 'sti' || meta === meta.root) return undefined
  const isKind = (entity: EntityName): boolean => {
    const { class: own, extends: parent } = metadata.get(entity)
    return own === meta.class || (parent !== undefined && isKind(parent))
  }
  const values = Object.entries(discriminatorMap).filter(([, entity]) => isKind(entity))
  return isIn(
    discriminatorColumn as string,
    values.map(([value]) => value),
  )
}

function hops(condition: Condition): ResourceType[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(hops)
    case 'not':
    case 'pivot':
      return hops(condition.condition)
    case 'exists':
      return [...condition.relation.targets, ...(condition.condition ? hops(condition.condition) : [])]
    default:
      return []
  }
}
