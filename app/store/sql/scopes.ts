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
import { mayHaveFilters } from '../connection/entity-manager.ts'
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
export function resolveScopes(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed: readonly ResourceType[] = [],
): Awaitable<Scopes> {
  const isOpen = conditions.length === 0 && types.every((type) => !mayBeRestricted(type, unitOf(context).orm))
  return isOpen ? noScopes : resolveEach(types, conditions, context, addressed)
}

const noScopes: Scopes = new Map()

/** Whether rows of the type may be invisible. False is certain, true is not. */
function mayBeRestricted(type: ResourceType, orm: Orm): boolean {
  return type.mayBeScoped || mayHaveFilters(orm, type.entity) || isDiscriminated(type, orm)
}

async function resolveEach(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed: readonly ResourceType[],
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

/** A statement has one scope per type: that of a row addressed by its URL must not apply to related rows. */
export async function hasOneScope(type: ResourceType, context: Context): Promise<boolean> {
  return (await context.scope(type)) === (await context.visibleScope(type))
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
