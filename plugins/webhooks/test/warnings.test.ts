import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { DeclaredResource } from '#kernel/plugin'
import type { Database } from '#store'
import { buildApp, root } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { libraryEntities } from '#test/template/support/library/index.ts'
import {
  labels,
  recordedBooks,
  recordedShelves,
  recordedTags,
  withPlugins,
} from '#test/template/support/recorded-library.ts'
import { webhooks } from '../index.ts'
import { WebhookDelivery } from '../resources/webhook-deliveries/entity.ts'
import { WebhookSubscription } from '../resources/webhook-subscriptions/entity.ts'

describe('The warnings of an application with change-log and webhooks', () => {
  let database: Database
  let ofPlugin: readonly DeclaredResource[]
  before(async () => {
    database = await openTestDatabase({
      entities: [...libraryEntities, WebhookSubscription, WebhookDelivery],
      migrations: [],
    })
    ofPlugin = await declaredResources(await discover(root, ['plugins/webhooks/resources']))
  })
  after(() => database.close())

  const declare = (resources: readonly DeclaredResource['resource'][]) =>
    resources.map((resource) => ({ file: 'warnings.test.ts', resource }))
  const recorded = declare([recordedShelves, recordedBooks, recordedTags])
  const warningsWith = async (resources: readonly DeclaredResource[]) => {
    const { registry } = await buildApp({ plugins: withPlugins(webhooks()), resources, database })
    return registry.warnings.filter((sentence) => /change-log|webhooks/.test(sentence))
  }

  it('name the setting when the types of the plugin are not loaded', async () => {
    const [warning, ...others] = await warningsWith(recorded)
    expect(warning).to.match(/^The plugin 'webhooks' .* RESOURCE_PATHS=resources,plugins\/webhooks\/resources\.$/)
    expect(others).to.deep.equal([])
  })

  it('name the declaration when no type is recorded', async () => {
    const [warning, ...others] = await warningsWith([...ofPlugin, ...declare([labels])])
    expect(warning).to.match(/^The plugin 'change-log' records nothing: .*changes: true/)
    expect(others).to.deep.equal([])
  })

  it('are absent when a type is recorded and the types of the plugin are loaded', async () => {
    expect(await warningsWith([...ofPlugin, ...recorded])).to.deep.equal([])
  })
})
