import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, loadMigrations } from '#discovery'
import type { DeclaredResource } from '#kernel/plugin'
import { webhooks } from '#plugins/webhooks/index.ts'
import { WebhookDelivery } from '#plugins/webhooks/resources/webhook-deliveries/entity.ts'
import { WebhookSubscription } from '#plugins/webhooks/resources/webhook-subscriptions/entity.ts'
import { type Database, migrate } from '#store'
import { root, startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { libraryEntities } from '#test/template/support/library/index.ts'
import { recordedBooks, recordedShelves, recordedTags, withPlugins } from '#test/template/support/recorded-library.ts'

export const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

const library = [recordedShelves, recordedBooks, recordedTags]
type Resources = readonly DeclaredResource['resource'][]

/** Starts the recorded library with webhooks to 127.0.0.1, in a database of its own, without its queue. */
export async function startWebhookLibrary(): Promise<TestApp> {
  const database = await openWebhookLibrary()
  const started = await startWebhooks(database)
  const close = async () => {
    await started.close()
    await database.close()
  }
  return { ...started, close }
}

export async function openWebhookLibrary(): Promise<Database> {
  const migrations = await loadMigrations({ root: '', folders: [] }, withPlugins(webhooks()))
  const entities = [...libraryEntities, WebhookSubscription, WebhookDelivery]
  const database = await openTestDatabase({ entities, migrations })
  await database.orm.schema.create()
  await database.orm.em.fork().execute('drop table webhook_subscriptions, change_deliveries')
  await migrate(database)
  return database
}

/** Starts one process of the library, with these recorded types. */
export async function startWebhooks(database: Database, types: Resources = library): Promise<TestApp> {
  const plugins = withPlugins(webhooks())
  const own = await declaredResources(await discover(root, ['plugins/webhooks/resources']))
  const resources = [...own, ...types.map((resource) => ({ file: 'webhook-library.ts', resource }))]
  const read = readConfig({ NODE_ENV: 'test', WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1' }, pluginVariables(plugins, {}))
  const { variables } = appConfig(read)
  const started = await startApp({ plugins, resources, database, onWrite: () => {}, config: { variables } })
  await started.app.start()
  await started.app.store.queue.stop()
  return started
}
