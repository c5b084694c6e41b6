import type { EntitySchema, MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { compareStoredNumbers } from './compare-stored-numbers.ts'
import { StoreEntityManager } from './entity-manager.ts'
import type { DatabaseLimits, DatabaseOptions } from './types.ts'

export const defaultLimits: DatabaseLimits = {
  connections: 10,
  wait: 5,
  statement: 10,
  idleTransaction: 30,
  prepared: 250,
  replicaLag: 5,
  resultBytes: 67_108_864,
}

export function ormOptions(options: DatabaseOptions) {
  return {
    entities: [...options.entities] as EntitySchema[],
    entityManager: StoreEntityManager as never,
    extensions: [Migrator],
    migrations: {
      tableName: options.migrationsTable ?? 'migrations',
      migrationsList: options.migrations as unknown as MigrationObject[],
      snapshot: false,
      silent: true,
      // Disabling foreign keys requires a superuser.
      disableForeignKeys: false,
    },
    // Triggers are created by migrations; entities do not declare them.
    schemaGenerator: { disableForeignKeys: false, ignoreTriggers: true },
    discovery: { warnWhenNoEntities: false, afterDiscovered: compareStoredNumbers },
    ensureDatabase: false,
    // Otherwise loading one side of a one-to-one joins the other, and a flush writes it back unchanged.
    autoJoinOneToOneOwner: false,
    // A missing value is reported by the database, with an error that names the column.
    validateRequired: false,
    debug: options.debug ?? false,
  }
}
