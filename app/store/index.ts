// The exports of the store for the application and its scripts.

export { mapEntities } from './connection/map-entities.ts'
export { openDatabase } from './connection/open.ts'
export { StartupError } from './connection/startup-error.ts'
export type { Database, DatabaseLimits, DatabaseOptions, Orm, Peers } from './connection/types.ts'
export { migrate, pendingMigrations } from './data/migrate.ts'
export { type Preparation, prepareDatabase } from './data/prepare.ts'
export type { Random } from './data/random.ts'
export { type BulkContext, type NamedSeed, type Seed, type SeedContext, seed } from './data/seed.ts'
export { countRows } from './data/tables.ts'
export { observeStatements, recordStatements, type Statement } from './driver/statement-log.ts'
export { createStore } from './store.ts'
export { emOf } from './unit.ts'
