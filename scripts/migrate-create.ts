import { relative } from 'node:path'
import { migrate, openDatabase } from '#store'
import { writeMigrations } from './support/migration-files.ts'
import { discoverResources, loadSchema, reportErrors, root } from './support/project.ts'
import { findChanges } from './support/schema-changes.ts'

/** Compares the entities with an empty database after all migrations; does not use the database of the project. */
await reportErrors(async () => {
  const discovery = await discoverResources()
  const database = await openDatabase({ databaseUrl: null, dataDir: null, ...(await loadSchema(discovery)) })
  try {
    await migrate(database)
    const changes = await findChanges(database.orm, discovery)
    const files = await writeMigrations(changes, discovery, process.argv[2])
    for (const file of files) console.log(`Wrote ${relative(root, file)}.`)
    if (files.length === 0) console.log('Nothing to do: the migrations match the entities.')
  } finally {
    await database.close()
  }
})
