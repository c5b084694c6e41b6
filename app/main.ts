import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { discover, loadEntities, loadMigrations } from '#discovery'
import { createHttp } from '#http'
import { BootError } from '#kernel/plugin'
import { createStore, openDatabase, prepareDatabase, StartupError } from '#store'
import { appConfig, ConfigError, configWarnings, pluginVariables, readConfig } from './config.ts'
import { plugins } from './plugins.ts'
import { createLogger } from './process/logger.ts'
import { peersOfWorker } from './process/peers.ts'
import { onStop } from './process/stop.ts'
import { superviseWorkers } from './process/workers.ts'
import { declaredResources } from './resources.ts'
import { servers } from './servers.ts'

const root = resolve(import.meta.dirname, '..')

/** Configuration, database, application, port, work beside requests; a signal ends them in reverse, and a second one at once. */
async function start(): Promise<void> {
  if (existsSync(resolve(root, '.env'))) process.loadEnvFile(resolve(root, '.env'))
  const config = readConfig(process.env, pluginVariables(plugins, process.env))
  const logger = createLogger(config.logLevel)
  if (cluster.isPrimary) for (const warning of configWarnings(config)) logger.warn(warning)
  if (config.workers > 1 && cluster.isPrimary) return superviseWorkers({ config, logger, plugins, greet })

  const snapshot = config.environment === 'production' ? { snapshot: resolve(root, '.warm/discovery.json') } : {}
  const discovery = await discover(root, snapshot)
  if (discovery.faults.length > 0) throw new StartupError(discovery.faults.join('\n'))
  const database = await openDatabase({
    ...config,
    logger,
    peers: peersOfWorker(),
    entities: await loadEntities(discovery),
    migrations: await loadMigrations(discovery, plugins, config.disabledPlugins),
  })
  try {
    const app = await createApp({
      http: createHttp,
      config: appConfig(config),
      plugins,
      disabled: config.disabledPlugins,
      resources: await declaredResources(discovery),
      servers: servers(config),
      store: createStore(database),
      logger,
    })
    onStop(config, logger, async () => {
      await app.drain(config.stop)
      await app.close()
      await database.close()
    })
    const { seeded } = isFirst() ? await prepareDatabase(database, discovery) : { seeded: false }
    const server = await app.listen(config.port, config.host)
    if (cluster.isPrimary) greet(server.address() as AddressInfo, seeded)
    await app.start()
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Of several workers the first prepares the database; the others are started when it listens. */
function isFirst(): boolean {
  return !cluster.worker || cluster.worker.id === 1
}

function greet({ address, port }: Pick<AddressInfo, 'address' | 'port'>, seeded = false): void {
  const base = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
  console.log(`${seeded ? 'The demo data is loaded. ' : ''}Listening on ${base}. Try:
  ${base}/albums
  ${base}/artists/1?include=albums.tracks
  ${base}/tracks?sort=-trackNumber&page[size]=2`)
}

/** What the operator can mend is said in a sentence, without a stack. */
start().catch((error: unknown) => {
  const expected = [ConfigError, StartupError, BootError].some((type) => error instanceof type)
  const busy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  if (busy) console.error(`${(error as Error).message}; set PORT to another port.`)
  else console.error(expected ? (error as Error).message : error)
  process.exit(1)
})
