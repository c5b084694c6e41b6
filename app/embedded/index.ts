// The embedded database: PGlite, its files and its lock. Loaded only without a database URL.

export { openEmbedded } from './embedded.ts'
export { loadExtension } from './extensions.ts'
