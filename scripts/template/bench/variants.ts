import type { AddressInfo } from 'node:net'
import { createStore, openDatabase } from '#store'
import { createProjectApp, discoverResources, loadSchema, readEnvironment } from '../../support/project.ts'

// Starts one application per entry of DISABLED_VARIANTS, a list of lists of plugins, in this process.

const config = readEnvironment()
const discovery = await discoverResources()
const database = await openDatabase({ ...config, ...(await loadSchema(discovery)) })
for (const disabledPlugins of JSON.parse(process.env.DISABLED_VARIANTS ?? '[]')) {
  const app = await createProjectApp({ ...config, disabledPlugins }, discovery, { store: createStore(database) })
  const server = await app.listen(0, '127.0.0.1')
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
