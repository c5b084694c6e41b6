import type { EntityName, FilterQuery } from '@mikro-orm/core'
import {
  type Awaitable,
  type Condition,
  type Context,
  everyCondition,
  isIn,
  native,
  type ResourceType,
} from '#kernel/store'
import { hasAddedFilters, mayHaveFilters } from '../connection/entity-manager.ts'
import type { Orm } from '../connection/types.ts'
import { unitOf } from '../unit.ts'
import { convertColumnFilters } from './orm-filter.ts'

/** The conditions under which the rows of each type are visible. Types without conditions are left out. */
export type Scopes = ReadonlyMap<ResourceType, readonly Condition[]>

/**
 * Resolves the scope of every type that a statement reads, including the types that its conditions and the scopes
 * themselves lead to. Rows of the `addressed` types are named by a URL: they need to exist for the requester, while rows
 * of other types need to be visible in collections.
 */
export async function resolveScopes(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed: readonly ResourceType[] = [],
): Promise<Scopes> {
  const { orm } = unitOf(context)
  const scopes = new Map<ResourceType, readonly Condition[]>()
  const reached = new Set(types)
  for (const condition of conditions) addRelatedTypes(condition, reached)
  // The set grows during the iteration.
  for (const type of reached) {
    const scope = await (addressed.includes(type) ? context.scope(type) : context.visibleScope(type))
    const filters = mayHaveFilters(orm, type.entity) ? await entityFilters(type, context) : []
    filters.unshift(...discriminatorCondition(type, orm))
    const visible = scope ? [...filters, scope] : filters
    if (visible.length === 0) continue
    for (const condition of visible) addRelatedTypes(condition, reached)
    scopes.set(type, convertColumnFilters(visible, type, orm))
  }
  return scopes
}

export const noScopes: Scopes = new Map()

const openTypes = new WeakMap<readonly ResourceType[], boolean>()

/** Whether all rows of the types are visible. True is certain, false is not. Decided once per list, which must not change. */
export function areOpen(types: readonly ResourceType[], orm: Orm): boolean {
  if (hasAddedFilters(orm)) return false
  const known = openTypes.get(types)
  if (known !== undefined) return known
  const isOpen = types.every(
    (type) => !type.mayBeScoped && !mayHaveFilters(orm, type.entity) && !isDiscriminated(type, orm),
  )
  openTypes.set(types, isOpen)
  return isOpen
}

/** A statement has one scope per type: that of a row addressed by its URL must not apply to related rows. */
export function hasOneScope(type: ResourceType, context: Context): Awaitable<boolean> {
  return type.steps.scope.visible.length === 0 || areSame(context.scope(type), context.visibleScope(type))
}

async function areSame(scope: Awaitable<Condition | undefined>, visible: typeof scope): Promise<boolean> {
  return (await scope) === (await visible)
}

/** MikroORM's entity filters that are on by default. They may be added at any time, to the ORM or to the unit. */
async function entityFilters({ entity }: ResourceType, context: Context): Promise<Condition[]> {
  const unfiltered: FilterQuery<object> = {}
  const filter = await unitOf(context).em.applyFilters(entity, unfiltered, {}, 'read')
  return filter && Object.keys(filter).length > 0 ? [native(filter)] : []
}

/** Selects the rows of an entity that shares its table with others (single table inheritance). */
function discriminatorCondition({ entity }: Pick<ResourceType, 'entity'>, orm: Orm): readonly Condition[] {
  if (!isDiscriminated({ entity }, orm)) return []
  const metadata = orm.getMetadata()
  const meta = metadata.get(entity)
  const { discriminatorColumn, discriminatorMap = {} } = meta.root
  const isSubtype = (other: EntityName): boolean => {
    const { class: own, extends: parent } = metadata.get(other)
    return own === meta.class || (parent !== undefined && isSubtype(parent))
  }
  const values = Object.entries(discriminatorMap).filter(([, other]) => isSubtype(other))
  return [
    isIn(
      discriminatorColumn as string,
      values.map(([value]) => value),
    ),
  ]
}

function isDiscriminated({ entity }: Pick<ResourceType, 'entity'>, orm: Orm): boolean {
  const meta = orm.getMetadata().get(entity)
  return meta.root.inheritanceType === 'sti' && meta !== meta.root
}

function addRelatedTypes(condition: Condition, types: Set<ResourceType>): void {
  everyCondition(condition, (part) => {
    if (part.kind === 'exists') for (const target of part.relation.targets) types.add(target)
    return true
  })
}
