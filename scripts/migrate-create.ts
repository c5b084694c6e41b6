import { relative } from 'node:path'
import { migrate, openDatabase } from '#store'
import { readArguments } from './support/arguments.ts'
import { writeMigrations } from './support/migration-files.ts'
import { discoverResources, loadSchema, reportErrors, root } from './support/project.ts'
import { findChanges } from './support/schema-changes.ts'

const usage = `npm run migrate -- create
npm run migrate -- create add_prices

Writes the next migration from changed entities, with the name if one is given. Compares them with an empty database after
all migrations; does not use the database of the project.`

const { positionals } = readArguments({ usage, positionals: 1 })

await reportErrors(async () => {
  const discovery = await discoverResources()
  const database = await openDatabase({ databaseUrl: null, dataDir: null, ...(await loadSchema(discovery)) })
  try {
    await migrate(database)
    const changes = await findChanges(database.orm, discovery)
    const files = await writeMigrations(changes, discovery, positionals[0])
    for (const file of files) console.log(`Wrote ${relative(root, file)}.`)
    if (files.length === 0) console.log('Nothing to do: the migrations match the entities.')
  } finally {
    await database.close()
  }
})
