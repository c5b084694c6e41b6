import type { AddressInfo } from 'node:net'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { plugins as listed } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { loadEntities, loadMigrations } from '#discovery'
import { changeLog } from '#plugins/change-log/index.ts'
import { live } from '#plugins/live/index.ts'
import { createStore, migrate, openDatabase } from '#store'
import { createProjectApp, discoverResources } from '../../../support/project.ts'

// The process of the benchmark: the project with change-log and live, which record and stream the changes of albums.

const above = listed.findIndex(({ name }) => name === 'responses')
const others = [changeLog(), live()].filter((plugin) => !listed.some(({ name }) => name === plugin.name))
const plugins = [...listed.slice(0, above), ...others, ...listed.slice(above)]
const config = readConfig(process.env, pluginVariables(plugins, process.env))
const discovery = await discoverResources()
const database = await openDatabase({
  ...config,
  entities: await loadEntities(discovery),
  migrations: await loadMigrations(discovery, plugins),
})
await migrate(database)
const declared = await declaredResources(discovery)
const resources = declared.map(({ file, resource }) => {
  const { declaration } = resource
  return { file, resource: { ...resource, declaration: { ...declaration, changes: declaration.type === 'albums' } } }
})
const app = await createProjectApp(config, discovery, {
  config: appConfig(config),
  plugins,
  resources,
  store: createStore(database),
})
const server = await app.listen(0, '127.0.0.1')
await app.start()
console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
