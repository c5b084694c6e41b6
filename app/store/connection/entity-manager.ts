import type { PGlite } from '@electric-sql/pglite'
import type { EntityName } from '@mikro-orm/core'
import { BasePostgreSqlEntityManager } from '@mikro-orm/sql'
import type { Orm } from './types.ts'

const withRuntimeFilters = new WeakSet<object>()

/** Records that a filter was added at run time, which neither the configuration nor the metadata show. */
export class StoreEntityManager extends BasePostgreSqlEntityManager {
  override addFilter(...args: Parameters<BasePostgreSqlEntityManager['addFilter']>): void {
    withRuntimeFilters.add(this.config)
    super.addFilter(...args)
  }
}

/** Whether the configuration of MikroORM has filters, or one was added at run time. They may apply to any entity. */
export function hasAddedFilters(orm: Orm): boolean {
  if (withRuntimeFilters.has(orm.config)) return true
  for (const _ in orm.config.get('filters')) return true
  return false
}

/** Whether MikroORM's filters (soft deletes, tenants) may apply to an entity: never false for one with filters. */
export function mayHaveFilters(orm: Orm, entity: EntityName): boolean {
  if (hasAddedFilters(orm)) return true
  for (const _ in orm.getMetadata().get(entity).filters) return true
  return false
}

export function embeddedClient({ em }: Orm): Promise<PGlite> {
  const connection = em.getConnection() as unknown as { getNativeClient(): Promise<PGlite> }
  return connection.getNativeClient()
}
