import type { AddressInfo } from 'node:net'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins as listed } from '#app/plugins.ts'
import { createLogger } from '#app/process/logger.ts'
import { declaredResources } from '#app/resources.ts'
import { servers } from '#app/servers.ts'
import { discover, loadEntities, loadMigrations } from '#discovery'
import { createHttp } from '#http'
import type { DeclaredResource } from '#kernel/plugin'
import { changeLog } from '#plugins/change-log/index.ts'
import { live } from '#plugins/live/index.ts'
import { programMembers } from '#program'
import { createStore, openDatabase, prepareDatabase } from '#store'
import { readArguments, readInteger } from '../../scripts/support/arguments.ts'
import { root } from '../../scripts/support/root.ts'
import { startExample } from '../browser/server.ts'

const usage = `npm run example:live -- [--service-port 3000] [--port 5173]

Starts the service with the plugins change-log and live on a database in memory, and serves the page in examples/live, which
shows the albums while they change.`

const { values } = readArguments({ usage, options: { 'service-port': { type: 'string' }, port: { type: 'string' } } })
const { 'service-port': servicePort = '3000', port = '5173' } = values
const service = await startService(readInteger('service-port', servicePort, usage))
const { url } = await startExample(service, readInteger('port', port, usage), '/examples/live/')
console.log(`${url} shows the albums of ${service} while they change. Change one:

  curl -X PATCH -H 'Content-Type: application/vnd.api+json' ${service}/albums/1 \\
    -d '{"data":{"type":"albums","id":"1","attributes":{"title":"OKNOTOK"}}}'`)

/** Starts the service with live collections, on an embedded database in memory with the demo data. Returns its URL. */
async function startService(port: number): Promise<string> {
  const above = listed.findIndex(({ name }) => name === 'responses')
  const missing = [changeLog(), live()].filter((plugin) => !listed.some(({ name }) => name === plugin.name))
  const plugins = [...listed.slice(0, above), ...missing, ...listed.slice(above)]
  const config = readConfig({ LOG_LEVEL: 'error' }, pluginVariables(plugins, {}))
  const logger = createLogger(config)
  const discovery = await discover(root)
  const database = await openDatabase({
    ...config,
    databaseUrl: null,
    dataDir: null,
    logger,
    entities: await loadEntities(discovery),
    migrations: await loadMigrations(discovery, plugins),
  })
  const app = await createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(config),
    plugins,
    resources: (await declaredResources(discovery)).map(recordChanges),
    servers: servers(config),
    store: createStore(database),
    logger,
  })
  await prepareDatabase(database, discovery)
  const server = await app.listen(port, '127.0.0.1')
  await app.start()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Records the changes of albums. A project writes `changes: true` in the declaration. */
function recordChanges({ file, resource }: DeclaredResource): DeclaredResource {
  const { declaration } = resource
  if (declaration.type !== 'albums') return { file, resource }
  return { file, resource: { ...resource, declaration: { ...declaration, changes: true } } }
}
