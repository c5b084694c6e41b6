import type { AddressInfo } from 'node:net'
import { createStore, openDatabase } from '#store'
import { createProjectApp, discoverResources, loadSchema, readEnvironment } from '../../../support/project.ts'
import { countCalls } from './count.ts'

// Started by `npm run bench -- --calls`: counts the calls of requests to the application of this process.

const [, , paths = '[]', headers = '{}'] = process.argv
const ignore = () => {}
const logger = { info: ignore, warn: ignore, error: ignore, isLevelEnabled: () => true }
const config = readEnvironment()
const discovery = await discoverResources()
const database = await openDatabase({ ...config, ...(await loadSchema(discovery)) })
const app = await createProjectApp(config, discovery, { store: createStore(database), logger })
const server = await app.listen(0, '127.0.0.1')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const counts = []
for (const path of JSON.parse(paths)) counts.push({ path, ...(await countCalls(url + path, JSON.parse(headers))) })
process.send?.(counts)
server.closeAllConnections()
server.close()
await app.close()
await database.close()
process.disconnect?.()
