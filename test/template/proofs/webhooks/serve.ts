import type { AddressInfo } from 'node:net'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { createLogger } from '#app/process/logger.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, loadMigrations } from '#discovery'
import { createHttp } from '#http'
import { webhooks } from '#plugins/webhooks/index.ts'
import { WebhookDelivery } from '#plugins/webhooks/resources/webhook-deliveries/entity.ts'
import { WebhookSubscription } from '#plugins/webhooks/resources/webhook-subscriptions/entity.ts'
import { programMembers } from '#program'
import { createStore, migrate, openDatabase } from '#store'
import { defaultServers, root } from '#test/support/app.ts'
import { libraryEntities } from '#test/template/support/library/index.ts'
import {
  onBookChange,
  recordedBooks,
  recordedShelves,
  recordedTags,
  withPlugins,
} from '#test/template/support/recorded-library.ts'

/**
 * The process of the service: the recorded library with webhooks, and a listener that calls LISTENER_URL. Uses the server of
 * DATABASE_URL or the files of DATA_DIR, and answers the statements that its parent process sends with their rows.
 */
const plugins = withPlugins(webhooks())
const config = readConfig(process.env, pluginVariables(plugins, process.env))
const logger = createLogger(config)

const database = await openDatabase({
  ...config,
  logger,
  entities: [...libraryEntities, WebhookSubscription, WebhookDelivery],
  migrations: await loadMigrations({ root: '', folders: [] }, plugins),
})
if (process.env.CREATE_SCHEMA) {
  await database.orm.schema.create()
  await database.orm.em.fork().execute('drop table webhook_subscriptions, change_deliveries')
  await migrate(database)
}

onBookChange.listener = async (change, { store, signal }) => {
  const [committed] = await store.query('select 1 from change_log where sequence = $1::bigint', [change.sequence])
  const body = JSON.stringify({ ...change, isCommitted: committed !== undefined })
  const response = await fetch(process.env.LISTENER_URL as string, { method: 'POST', body, signal, redirect: 'manual' })
  if (!response.ok) throw new Error(`The receiver returned ${response.status}.`)
}

const library = [recordedShelves, recordedBooks, recordedTags]
const app = await createApp({
  http: createHttp,
  members: programMembers,
  config: appConfig(config),
  plugins,
  resources: [
    ...(await declaredResources(await discover(root, ['plugins/webhooks/resources']))),
    ...library.map((resource) => ({ file: 'test/template/support/recorded-library.ts', resource })),
  ],
  servers: defaultServers,
  store: createStore(database),
  logger,
})
const server = await app.listen(0, '127.0.0.1')
await app.start()

process.on('message', async (sql: string) => process.send?.(await app.store.query(sql)))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', async () => {
  await app.drain(config.stop)
  await app.close()
  await database.close()
  process.exit()
})
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
