// All that the application and its scripts may use of the store.
export {
  type Database,
  type DatabaseLimits,
  type DatabaseOptions,
  type Orm,
  openDatabase,
  type Peers,
} from './database.ts'
export { mapEntities } from './mapping.ts'
export { migrate, pendingMigrations } from './migrate.ts'
export { type Preparation, prepareDatabase } from './prepare.ts'
export type { Random } from './random.ts'
export { type BulkContext, type NamedSeed, type Seed, type SeedContext, seed } from './seed.ts'
export { StartupError } from './startup-error.ts'
export { observeStatements, recordStatements, type Statement } from './statements.ts'
export { createStore } from './store.ts'
export { countRows } from './tables.ts'
export { emOf } from './unit.ts'
