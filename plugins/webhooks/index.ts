import Joi from 'joi'
import type { Plugin } from '#kernel/plugin'
import { consumeChanges } from '#plugins/change-log/index.ts'
import { isNetwork } from './addresses.ts'
import { recordedTypesOnly } from './check-types.ts'
import { allowedAddressOnly } from './check-url.ts'
import { webhookConsumer } from './consumer.ts'
import { CreateSubscriptions } from './migration.ts'
import type { ResolveHost } from './resolve-host.ts'

export interface WebhookOptions {
  /** Resolves host names; tests pass their own. */
  readonly resolve?: ResolveHost
}

/**
 * Webhooks: signed events of recorded changes, sent to the subscriptions that select them, at least once and in order for each
 * resource and subscription. The types are in `plugins/webhooks/resources`, which `RESOURCE_PATHS` adds.
 */
export function webhooks({ resolve }: WebhookOptions = {}): Plugin {
  return {
    name: 'webhooks',
    requires: ['change-log', 'actions'],
    environment: { WEBHOOK_ALLOWED_ADDRESSES: networks },
    migrations: { '20260301000001_webhooks': CreateSubscriptions },

    onCompile(registry) {
      if (!registry.types.has('webhook-subscriptions')) registry.warn(typesNotLoaded)
    },

    setup(app) {
      consumeChanges(app, webhookConsumer(app, resolve))
    },

    plan({ app, kind, type, relation, validate }) {
      if (type?.name !== 'webhook-subscriptions' || relation) return
      if (kind === 'Create' || kind === 'Update') validate.push(recordedTypesOnly(app), allowedAddressOnly(app))
    },
  }
}

const typesNotLoaded =
  "The plugin 'webhooks' lacks its resource types: set RESOURCE_PATHS=resources,plugins/webhooks/resources."

const networks = Joi.string()
  .empty('')
  .custom((text: string) => {
    const listed = text.split(',').map((network) => network.trim())
    const wrong = listed.find((network) => !isNetwork(network))
    if (wrong !== undefined) throw new Error(`'${wrong}' is not an address or a network such as 10.0.0.0/8`)
    return listed
  })
  .default([])
