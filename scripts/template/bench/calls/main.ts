import './without-time.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createStore, openDatabase } from '#store'
import { createProjectApp, discoverResources, loadSchema, readEnvironment } from '../../../support/project.ts'
import { countCalls } from './count.ts'
import type { CountedItem } from './items.ts'

// Started by `npm run template -- bench --calls`: counts the calls of requests to the application of this process.

const ignore = () => {}
const logger = { info: ignore, warn: ignore, error: ignore, isLevelEnabled: () => true }
const config = readEnvironment()
const discovery = await discoverResources()
const database = await openDatabase({ ...config, ...(await loadSchema(discovery)) })
const app = await createProjectApp(config, discovery, { store: createStore(database), logger })
const server = await app.listen(0, '127.0.0.1')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
process.send?.('started')
const [items] = (await once(process, 'message')) as [readonly CountedItem[]]
const counts = []
for (const { name, requests } of items) counts.push({ name, ...(await countCalls(url, requests)) })
process.send?.(counts)
server.closeAllConnections()
server.close()
await app.close()
await database.close()
process.disconnect?.()
