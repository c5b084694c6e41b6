import type { FilterQuery } from '@mikro-orm/core'
import {
  type Awaitable,
  type Condition,
  type Context,
  convertNative,
  everyCondition,
  isIn,
  native,
  type ResourceType,
} from '#kernel/store'
import { hasAddedFilters, mayHaveFilters } from '../connection/entity-manager.ts'
import type { Orm } from '../connection/types.ts'
import { emOf, unitOf } from '../unit.ts'
import { discriminatorValues, hasDiscriminator, metaOf } from './compiler.ts'

/** The conditions under which the rows of each type are visible. Types without conditions are left out. */
export type Scopes = ReadonlyMap<ResourceType, readonly Condition[]>

/**
 * Resolves the scope of every type that a statement reads, including the types that its conditions and the scopes
 * themselves lead to. Rows of the `addressed` types are named by a URL: they need to exist for the requester, while rows
 * of other types need to be visible in collections.
 */
export function collectScopes(
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed: readonly ResourceType[] = [],
): Awaitable<Scopes> {
  const reached = new Set(types)
  for (const condition of conditions) addRelatedTypes(condition, reached)
  const { orm } = unitOf(context)
  const hasFilters = hasAddedFilters(orm)
  return resolveNext({ reached, remaining: reached.values(), scopes: new Map(), addressed, context, orm, hasFilters })
}

interface Resolution {
  /** The types that the statement reads. The set grows while their scopes are resolved. */
  readonly reached: Set<ResourceType>
  readonly remaining: Iterator<ResourceType>
  readonly scopes: Map<ResourceType, readonly Condition[]>
  readonly addressed: readonly ResourceType[]
  readonly context: Context
  readonly orm: Orm
  /** Whether MikroORM has filters that may apply to any entity. */
  readonly hasFilters: boolean
}

/** Resolves the scopes of the remaining types. Returns a promise only if one of them is a promise. */
function resolveNext(resolution: Resolution): Awaitable<Scopes> {
  const { remaining, scopes, addressed, context, orm, hasFilters } = resolution
  for (let next = remaining.next(); !next.done; next = remaining.next()) {
    const type = next.value
    if (!type.mayBeScoped && !hasFilters) continue
    const { conditions, isFiltered } = storedRows(type, orm)
    const scope = addressed.includes(type) ? context.scope(type) : context.visibleScope(type)
    if (hasFilters || isFiltered || scope instanceof Promise) {
      const filters = hasFilters || isFiltered ? entityFilters(type, context) : []
      return Promise.all([scope, filters]).then(([resolved, added]) => {
        addScope(type, resolved, [...conditions, ...added], resolution)
        return resolveNext(resolution)
      })
    }
    addScope(type, scope, conditions, resolution)
  }
  return scopes
}

function addScope(
  type: ResourceType,
  scope: Condition | undefined,
  conditions: readonly Condition[],
  { reached, scopes }: Resolution,
): void {
  const visible = scope ? [...conditions, scope] : conditions
  if (visible.length === 0) return
  for (const condition of visible) addRelatedTypes(condition, reached)
  scopes.set(type, visible)
}

export const noScopes: Scopes = new Map()

/** Whether all rows of the types are visible. */
export function areOpen(types: readonly ResourceType[], orm: Orm): boolean {
  for (const type of types) if (type.mayBeScoped) return false
  return !hasAddedFilters(orm)
}

declare module '#kernel/store' {
  interface ResourceType {
    /** Set by the first statement with a scope. */
    storedRows?: StoredRows
  }
}

/** How the mapping restricts the rows of a type. */
interface StoredRows {
  /** The discriminator, if the entity shares its table with others (single table inheritance). */
  readonly conditions: readonly Condition[]
  /** Whether the entity declares filters of MikroORM. */
  readonly isFiltered: boolean
}

function storedRows(type: ResourceType, orm: Orm): StoredRows {
  type.storedRows ??= {
    conditions: discriminatorCondition(type, orm),
    isFiltered: mayHaveFilters(orm, type.entity),
  }
  return type.storedRows
}

/** MikroORM's entity filters that are on by default. They may be added at any time, to the ORM or to the unit. */
async function entityFilters({ entity, shape }: ResourceType, context: Context): Promise<Condition[]> {
  const unfiltered: FilterQuery<object> = {}
  const filter = await emOf(context).applyFilters(entity, unfiltered, {}, 'read')
  return filter && Object.keys(filter).length > 0 ? [convertNative(native(filter), shape)] : []
}

/** Selects the rows of an entity that shares its table with others. */
function discriminatorCondition(type: ResourceType, orm: Orm): readonly Condition[] {
  const meta = metaOf(type, orm)
  return hasDiscriminator(meta) ? [isIn(meta.root.discriminatorColumn as string, discriminatorValues(meta, orm))] : []
}

/** The conditions that contain others, or lead to another type. */
const compound: ReadonlySet<Condition['kind']> = new Set(['and', 'or', 'not', 'exists', 'pivot'])

function addRelatedTypes(condition: Condition, types: Set<ResourceType>): void {
  if (!compound.has(condition.kind)) return
  everyCondition(condition, (part) => {
    if (part.kind === 'exists') for (const target of part.relation.targets) types.add(target)
    return true
  })
}
