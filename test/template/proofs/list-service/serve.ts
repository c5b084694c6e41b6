import type { AddressInfo } from 'node:net'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { createLogger } from '#app/process/logger.ts'
import { loadMigrations } from '#discovery'
import { createHttp } from '#http'
import { programMembers } from '#program'
import { createStore, migrate, openDatabase } from '#store'
import { listEntities } from './entities.ts'
import { measure } from './measure.ts'
import { listResources } from './resources.ts'

/** The process of the service: all plugins of the project over lists. Its parent process starts and measures it. */
const config = readConfig(process.env, pluginVariables(plugins, process.env))
const logger = createLogger(config)

const database = await openDatabase({
  ...config,
  dataDir: null,
  logger,
  entities: listEntities,
  migrations: await loadMigrations({ root: '', folders: [] }, plugins),
})
if (process.env.CREATE_SCHEMA) {
  await database.orm.schema.create()
  await migrate(database)
}
const app = await createApp({
  http: createHttp,
  members: programMembers,
  config: appConfig(config),
  plugins,
  resources: listResources,
  servers: { default: { maxIncludeDepth: 3 } },
  store: createStore(database),
  logger,
})
const server = await app.listen(0, '127.0.0.1')
await app.start()

process.on('message', async () => process.send?.(await measure(database)))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', async () => {
  await app.drain(config.stop)
  await app.close()
  await database.close()
  process.exit()
})
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
