import { relative } from 'node:path'
import { migrate, openDatabase } from '#store'
import { writeMigrations } from './support/migration-files.ts'
import { discoverOrExplain, loadSchema, orExplain, root } from './support/project.ts'
import { findChanges } from './support/schema-changes.ts'

/** Compares the entities with what the migrations make of an empty database, so no real database is touched. */
await orExplain(async () => {
  const discovery = await discoverOrExplain()
  const database = await openDatabase({ databaseUrl: null, dataDir: null, ...(await loadSchema(discovery)) })
  try {
    await migrate(database)
    const changes = await findChanges(database.orm, discovery)
    const files = await writeMigrations(changes, discovery, process.argv[2])
    for (const file of files) console.log(`Wrote ${relative(root, file)}.`)
    if (files.length === 0) console.log('Nothing to do: the migrations make what the entities say.')
  } finally {
    await database.close()
  }
})
