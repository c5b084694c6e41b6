import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { discover, formerMembers, loadEntities, loadMigrations, unlistedPlugins } from '#discovery'
import { createHttp } from '#http'
import { BootError } from '#kernel/plugin'
import { programMembers } from '#program'
import { createStore, openDatabase, type Preparation, prepareDatabase, StartupError } from '#store'
import { appConfig, ConfigError, configWarnings, pluginVariables, readConfig } from './config.ts'
import { plugins } from './plugins.ts'
import { checkArguments } from './process/arguments.ts'
import { createGreeting, examplePaths } from './process/greeting.ts'
import { createLogger } from './process/logger.ts'
import { workerPeers } from './process/peers.ts'
import { schemaWarning } from './process/schema-warning.ts'
import { onStop } from './process/stop.ts'
import { startWatchdog } from './process/watchdog.ts'
import { reportListening, reusesPort, superviseWorkers } from './process/workers.ts'
import { declaredResources } from './resources.ts'
import { servers } from './servers.ts'

const root = resolve(import.meta.dirname, '..')

/** Reads the configuration, opens the database, creates the application, listens, and starts the jobs. */
async function start(): Promise<void> {
  checkArguments()
  if (existsSync(resolve(root, '.env'))) process.loadEnvFile(resolve(root, '.env'))
  const config = readConfig(process.env, pluginVariables(plugins, process.env))
  const logger = createLogger(config)
  const greet = createGreeting(config, logger)
  if (cluster.isPrimary) for (const warning of configWarnings(config)) logger.warn(warning)
  if (config.workers > 1 && cluster.isPrimary) return superviseWorkers({ config, logger, plugins, greet })

  const discovery = await discover(root, config.resourcePaths)
  if (discovery.faults.length > 0) throw new StartupError(discovery.faults.join('\n'))
  const database = await openDatabase({
    ...config,
    logger,
    peers: workerPeers(),
    entities: await loadEntities(discovery),
    migrations: await loadMigrations(discovery, plugins, config.disabledPlugins),
  })
  try {
    const app = await createApp({
      http: createHttp,
      members: programMembers,
      config: appConfig(config),
      plugins,
      disabled: config.disabledPlugins,
      unlisted: await unlistedPlugins(root, plugins),
      faults: formerMembers(plugins, config.disabledPlugins),
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
    const { seeded, missing } = preparesDatabase() ? await prepareDatabase(database, discovery) : notPrepared
    if (missing.length > 0) logger.error({}, schemaWarning(missing, config))
    if (database.kind === 'embedded') startWatchdog()
    const server = await app.listen(config.port, config.host, { reusePort: reusesPort })
    const { address, port } = server.address() as AddressInfo
    const listening = { address, port, paths: examplePaths(app) }
    if (cluster.isPrimary) greet(listening, seeded)
    else reportListening(listening)
    await app.start()
  } catch (error) {
    await database.close()
    throw error
  }
}

const notPrepared: Pick<Preparation, 'seeded' | 'missing'> = { seeded: false, missing: [] }

/** Returns true for one process of a cluster: the first worker, after which the others start. */
function preparesDatabase(): boolean {
  return !cluster.worker || cluster.worker.id === 1
}

/** Prints faults that the operator can fix without a stack trace. */
start().catch((error: unknown) => {
  const expected = [ConfigError, StartupError, BootError].some((type) => error instanceof type)
  const busy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  if (busy) console.error(`${(error as Error).message}; set PORT to another port.`)
  else console.error(expected ? (error as Error).message : error)
  process.exit(1)
})
