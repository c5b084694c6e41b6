import type { lookup } from 'node:dns'
import type { App, ResourceType, Unit } from '#kernel/plugin'
import { type Consumer, type LogRow, type NewDelivery, toChange } from '#plugins/change-log/index.ts'
import { createAddressCheck } from './addresses.ts'
import { send } from './send.ts'

/** Attempts in about 10 hours. */
const attempts = 16

interface Subscription {
  readonly id: string
  readonly types: readonly string[]
  readonly events: readonly string[]
}

/** Sends events of changes to the subscriptions that select them. */
export function webhookConsumer(app: App, resolver?: typeof lookup): Consumer {
  const allowed = app.config.variables.WEBHOOK_ALLOWED_ADDRESSES as readonly string[]
  const isAllowed = createAddressCheck(allowed)
  return {
    name: 'webhooks',
    attempts,
    keeps: true,

    async take(changes, unit) {
      const subscriptions = await readSubscriptions(unit)
      return changes.flatMap((change) => deliveriesOf(change, subscriptions, app))
    },

    async deliver({ id, receiver, payload }, signal) {
      const [subscription] = await app.store.query(
        'select url, secret from webhook_subscriptions where id = $1::uuid and active',
        [receiver],
      )
      if (!subscription) return // it was deleted or deactivated
      const { url, secret } = subscription as { readonly url: string; readonly secret: string }
      const message = { url, secret, id: `msg_${id}`, body: JSON.stringify(payload) }
      const status = await send(message, isAllowed, signal, resolver)
      if (status === 410) await deactivate(app, receiver)
      else if (status < 200 || status > 299) throw new Error(`The receiver returned ${status}.`)
    },
  }
}

async function readSubscriptions(unit: Unit): Promise<readonly Subscription[]> {
  const rows = await unit.run(
    `select jsonb_build_object('id', id, 'types', types, 'events', events)::text as subscription
     from webhook_subscriptions where active`,
    [],
  )
  return rows.map(({ subscription }) => JSON.parse(subscription as string))
}

function deliveriesOf(change: LogRow, subscriptions: readonly Subscription[], { registry }: App): NewDelivery[] {
  const type = registry.types.get(change.type)
  if (!type) return []
  const members = shownMembers(type, change.members)
  if (change.kind === 'updated' && members.length === 0) return []
  const { id, kind, changedAt } = toChange(type, change)
  const payload = { type: `${type.name}.${kind}`, timestamp: changedAt, data: { type: type.name, id, members } }
  return subscriptions
    .filter(({ types, events }) => types.includes(type.name) && events.includes(kind))
    .map((subscription) => ({ change, receiver: subscription.id, payload }))
}

/** The names of members that no requester is prevented from seeing. */
function shownMembers(type: ResourceType, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const field = type.fields.get(name)
    if (!field || field.role === 'id') return false
    return (
      field.hidden === false && field.hiddenFor === null && (field.role === 'relation' || field.writeOnly === false)
    )
  })
}

/** 410 Gone: the receiver wants no more events. */
async function deactivate({ store, logger }: App, id: string): Promise<void> {
  await store.query('update webhook_subscriptions set active = false where id = $1::uuid', [id])
  logger?.warn({ subscription: id }, 'A receiver of webhooks returned 410; its subscription is not active any more.')
}
