import type { EntityName, FilterQuery } from '@mikro-orm/core'
import {
  type Awaitable,
  type Condition,
  type Context,
  getOrCreate,
  isIn,
  native,
  type ResourceType,
} from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { unitOf } from '../unit.ts'
import { toPlain } from './orm-filter.ts'

/** The conditions under which rows of each type may be seen. */
export type Scopes = ReadonlyMap<ResourceType, readonly Condition[]>

/**
 * Asks for the scope of every type a statement touches, the hops of its conditions and of the scopes included. Rows of
 * the `addressed` type are those of a URL: they must exist for the requester, while all others must be shown to them.
 */
export function resolveScopes(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed?: ResourceType,
): Awaitable<Scopes> {
  const resolving = new Resolving(types, conditions, context)
  for (const type of resolving.waiting) {
    const own = scopeOf(type, context, addressed)
    const mapped = mappedScope(type, context)
    if (own instanceof Promise || !mapped) return resolvePatiently(types, conditions, context, addressed)
    resolving.add(type, own, mapped)
  }
  return resolving.scopes
}

/** The same where somebody has to be waited for. */
async function resolvePatiently(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed: ResourceType | undefined,
): Promise<Scopes> {
  const resolving = new Resolving(types, conditions, context)
  for (const type of resolving.waiting) {
    const own = await scopeOf(type, context, addressed)
    resolving.add(type, own, mappedScope(type, context) ?? (await askFilters(type, context)))
  }
  return resolving.scopes
}

function scopeOf(
  type: ResourceType,
  context: Context,
  addressed: ResourceType | undefined,
): Awaitable<Condition | undefined> {
  return type === addressed ? context.scope(type) : context.visibleScope(type)
}

class Resolving {
  readonly waiting: Set<ResourceType>
  readonly scopes = new Map<ResourceType, readonly Condition[]>()
  readonly #orm: Orm

  constructor(types: readonly ResourceType[], conditions: readonly Condition[], context: Context) {
    this.waiting = new Set(types)
    this.#orm = unitOf(context).orm
    for (const condition of conditions) addHops(condition, this.waiting)
  }

  add(type: ResourceType, own: Condition | undefined, mapped: readonly Condition[]): void {
    if (!own && mapped.length === 0) return
    const scope = own ? [...mapped, own] : mapped
    for (const condition of scope) addHops(condition, this.waiting)
    this.scopes.set(type, toPlain(scope, type, this.#orm))
  }
}

/** Whether all rows of these types are seen by everybody, and no condition leads to others. */
export function areOpen(
  types: readonly ResourceType[],
  where: readonly Condition[],
  context: Context,
  addressed?: ResourceType,
): boolean {
  if (where.length > 0) return false
  for (const type of types)
    if (scopeOf(type, context, addressed) || mappedScope(type, context)?.length !== 0) return false
  return true
}

/** What the mapping says of a type for every unit alike; undefined where filters may have a say. */
function mappedScope(type: ResourceType, context: Context): readonly Condition[] | undefined {
  const { orm, ownsFilters } = unitOf(context)
  return ownsFilters ? undefined : unfilteredTypes(orm).get(type)
}

/** MikroORM's entity filters that are on by default: soft deletes, tenants. They may change while a unit lives. */
async function askFilters(type: ResourceType, context: Context): Promise<readonly Condition[]> {
  const { em, orm } = unitOf(context)
  const kind = kindOf(type, orm)
  const nothing: FilterQuery<object> = {}
  const filter = await em.applyFilters(type.entity, nothing, {}, 'read')
  if (filter === nothing) unfilteredTypes(orm).set(type, kind)
  return filter && Object.keys(filter).length > 0 ? [...kind, native(filter)] : kind
}

const unfiltered = new WeakMap<object, Map<ResourceType, readonly Condition[]>>()

/** Types no filter speaks of, with what tells their rows apart; a filter that is added later may. */
function unfilteredTypes({ em }: Orm): Map<ResourceType, readonly Condition[]> {
  return getOrCreate(unfiltered, em, () => {
    const types = new Map<ResourceType, readonly Condition[]>()
    const { addFilter } = em
    em.addFilter = (options) => {
      types.clear()
      addFilter.call(em, options)
    }
    return types
  })
}

/** Entities that share one table are told apart by a column; the root of them stands for all. */
function kindOf({ entity }: ResourceType, orm: Orm): readonly Condition[] {
  const metadata = orm.getMetadata()
  const meta = metadata.get(entity)
  const { inheritanceType, discriminatorColumn, discriminatorMap = {} } = meta.root
  if (inheritanceType !== 'sti' || meta === meta.root) return []
  const isKind = (other: EntityName): boolean => {
    const { class: own, extends: parent } = metadata.get(other)
    return own === meta.class || (parent !== undefined && isKind(parent))
  }
  const values = Object.entries(discriminatorMap).filter(([, other]) => isKind(other))
  const names = values.map(([value]) => value)
  return [isIn(discriminatorColumn as string, names)]
}

/** The types a condition leads to, whose rows have scopes of their own. */
function addHops(condition: Condition, types: Set<ResourceType>): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) addHops(part, types)
      return
    case 'not':
    case 'pivot':
      addHops(condition.condition, types)
      return
    case 'exists':
      for (const target of condition.relation.targets) types.add(target)
      if (condition.condition) addHops(condition.condition, types)
  }
}
