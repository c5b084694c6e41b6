import type { App, ResourceType, Unit } from '#kernel/plugin'
import { type Consumer, type DeliveryPlan, type LoggedChange, toChange } from '#plugins/change-log/index.ts'
import { createAddressCheck } from './addresses.ts'
import type { ResolveHost } from './resolve-host.ts'
import { send } from './send.ts'

/** The pauses between them add up to about 4 hours. */
const attempts = 16

/** Milliseconds for which a change of an unknown type is left to processes of a newer release. */
const unknownTime = 300_000

interface Subscription {
  readonly id: string
  readonly types: readonly string[]
  readonly events: readonly string[]
  /** It receives changes after this position of the log. */
  readonly since: string
  /** Earlier changes that it receives, too: they were not committed when it was activated. */
  readonly uncommitted: readonly string[]
}

/** Sends events of changes to the subscriptions that select them. */
export function webhookConsumer(app: App, resolve?: ResolveHost): Consumer {
  const allowed = app.config.variables.WEBHOOK_ALLOWED_ADDRESSES as readonly string[]
  const isAllowed = createAddressCheck(allowed)
  return {
    name: 'webhooks',
    attempts,
    keeps: true,

    prepare: async (changes, unit) => planEvents(app, await readSubscriptions(changes, unit)),

    async deliver({ id, receiver, payload }, signal) {
      const [subscription] = await app.store.query(
        'select url, secret, active from webhook_subscriptions where id = $1::uuid',
        [receiver],
      )
      if (!subscription) return { reason: 'The subscription was deleted.' }
      if (!subscription.active) return { reason: 'The subscription is not active.' }
      const { url, secret } = subscription as { readonly url: string; readonly secret: string }
      const message = { url, secret, id: `msg_${id}`, body: JSON.stringify(payload) }
      const status = await send(message, { isAllowed, signal, resolve })
      if (status === 410) {
        if (!(await deactivate(app, receiver, url))) throw new Error('The receiver returned 410 for a former URL.')
        return { reason: 'The receiver returned 410; its subscription was deactivated.' }
      }
      if (status < 200 || status > 299) throw new Error(`The receiver returned ${status}.`)
      return 'delivered'
    },
  }
}

/** Reads the active subscriptions. The lock lets one be paused before or after the deliveries of the changes are created. */
async function readSubscriptions(changes: readonly LoggedChange[], unit: Unit): Promise<readonly Subscription[]> {
  await unit.run(`select pg_advisory_xact_lock_shared(hashtextextended('webhook_subscriptions', 0))`, [])
  const rows = await unit.run(
    `select jsonb_build_object('id', s.id, 'types', s.types, 'events', s.events, 'since', s.since::text, 'uncommitted', array(
       select l.sequence::text from change_log l
       where l.sequence >= $1::bigint and l.sequence <= least($2::bigint, s.since)
         and not pg_visible_in_snapshot(l.transaction, s.snapshot)
     ))::text as subscription
     from webhook_subscriptions s where s.active`,
    [changes[0]?.sequence, changes.at(-1)?.sequence],
  )
  return rows.map(({ subscription }) => JSON.parse(subscription as string))
}

function planEvents({ registry, logger }: App, subscriptions: readonly Subscription[]): DeliveryPlan {
  return (change) => {
    const selecting = subscriptions.filter((subscription) => selects(subscription, change))
    if (selecting.length === 0) return []
    const type = registry.types.get(change.type)
    if (!type) {
      if (Date.now() - Date.parse(change.changedAt) < unknownTime) return null
      logger?.warn({ change }, 'A change has a type that this release does not have; its event is not sent.')
      return []
    }
    const payload = toEvent(type, change)
    return payload === null ? [] : selecting.map(({ id }) => ({ receiver: id, payload }))
  }
}

function selects({ types, events, since, uncommitted }: Subscription, { type, kind, sequence }: LoggedChange): boolean {
  if (!types.includes(type) || !events.includes(kind)) return false
  return BigInt(sequence) > BigInt(since) || uncommitted.includes(sequence)
}

/** The body of the message. Null if only members have changed that are not shown. A member of a newer release may be shown. */
function toEvent(type: ResourceType, change: LoggedChange) {
  const members = shownMembers(type, change.members)
  const namesMembers = change.kind === 'updated' || change.kind === 'related'
  if (namesMembers && members.length === 0 && change.members.every((name) => type.fields.has(name))) return null
  const { id, kind, changedAt } = toChange(type, change)
  return { type: `${type.name}.${kind}`, timestamp: changedAt, data: { type: type.name, id, members } }
}

/** The names of members that no requester is prevented from seeing. */
function shownMembers(type: ResourceType, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const field = type.fields.get(name)
    if (!field || field.role === 'id') return false
    if (field.hidden !== false || field.hiddenFor !== null) return false
    return field.role === 'relation' ? !field.hasReadAbility : field.writeOnly === false
  })
}

/** After 410 Gone, a receiver gets no more events. Returns false if the subscription has another URL meanwhile. */
async function deactivate({ store, logger }: App, id: string, url: string): Promise<boolean> {
  const deactivation = 'update webhook_subscriptions set active = false where id = $1::uuid and url = $2 returning id'
  const [changed] = await store.query(deactivation, [id, url])
  if (!changed) return false
  logger?.warn({ subscription: id }, 'A receiver of webhooks returned 410; its subscription is not active any more.')
  return true
}
