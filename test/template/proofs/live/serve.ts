import { pluginVariables, readConfig } from '#app/config.ts'
import { createLogger } from '#app/process/logger.ts'
import { loadMigrations } from '#discovery'
import { openDatabase } from '#store'
import { createLibraryTables, libraryEntities } from '#test/template/support/library/index.ts'
import type { Call, Reply } from './child-world.ts'
import { fillStatements } from './rows.ts'
import { requesters } from './run-live.ts'
import { livePlugins, startWorld } from './world.ts'

/** A process of the proof: the applications of all requesters, on the server of DATABASE_URL or on the files of DATA_DIR. */
const config = readConfig(process.env, pluginVariables(livePlugins, process.env))
const database = await openDatabase({
  ...config,
  logger: createLogger(config),
  entities: libraryEntities,
  migrations: await loadMigrations({ root: '', folders: [] }, livePlugins),
})
const isNew = process.env.CREATE_SCHEMA === 'true'
if (isNew) await createLibraryTables(database)
const world = await startWorld(database, Number(process.env.RECHECK), requesters)
if (isNew) await world.write(fillStatements())

const send = (reply: Reply) => process.send?.(reply)
process.on('message', async ({ number, write, denied }: Call) => {
  try {
    for (const one of denied ?? []) world.deny(one)
    if (write) await world.write(write)
    send({ number })
  } catch (error) {
    send({ number, error: String(error) })
  }
})
process.on('disconnect', () => process.exit())
send({ urls: world.urls })
