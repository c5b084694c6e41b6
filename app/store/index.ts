// The exports of the store for the application and its scripts.

export type { Statement } from '#kernel/store'
export { mapEntities } from './connection/map-entities.ts'
export { openDatabase } from './connection/open.ts'
export { StartupError } from './connection/startup-error.ts'
export type { Database, DatabaseLimits, DatabaseOptions, Orm, Peers } from './connection/types.ts'
export { createStore } from './create-store.ts'
export { markAsApplied, migrate, revert } from './migrations/migrate.ts'
export {
  executedMigrations,
  findTableFault,
  listedMigrations,
  pendingMigrations,
} from './migrations/migration-status.ts'
export { missingColumns } from './migrations/missing-columns.ts'
export { type Preparation, prepareDatabase } from './migrations/prepare.ts'
export type { Random } from './migrations/random.ts'
export { type BulkContext, type NamedSeed, type Seed, type SeedContext, seed } from './migrations/seed.ts'
export { countRows } from './migrations/tables.ts'
export { observeStatements, recordStatements } from './observers.ts'
export { beginByKysely, beginByOrm, endByOrm, inTransaction } from './transaction/begin.ts'
export { hasTransactionListeners } from './transaction/write-transaction.ts'
export { emOf } from './unit.ts'
