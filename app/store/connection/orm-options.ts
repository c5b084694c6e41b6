import type { EntitySchema, MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import type { DatabaseLimits, DatabaseOptions } from './types.ts'

export const defaultLimits: DatabaseLimits = {
  connections: 10,
  wait: 5,
  statement: 10,
  idleTransaction: 30,
  prepared: 250,
  replicaLag: 5,
}

export function ormOptions(options: DatabaseOptions) {
  return {
    entities: [...options.entities] as EntitySchema[],
    extensions: [Migrator],
    migrations: {
      tableName: 'migrations',
      migrationsList: options.migrations as unknown as MigrationObject[],
      snapshot: false,
      silent: true,
      // Turning foreign keys off needs a superuser.
      disableForeignKeys: false,
    },
    // Triggers are written in migrations; entities do not speak of them.
    schemaGenerator: { disableForeignKeys: false, ignoreTriggers: true },
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    // Loading one side of a one-to-one would otherwise bring the other along, and write it back unchanged.
    autoJoinOneToOneOwner: false,
    // The database itself says which value is missing, with an error that can be answered.
    validateRequired: false,
    debug: options.debug ?? false,
  }
}
