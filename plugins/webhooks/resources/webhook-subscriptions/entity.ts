import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'WebhookSubscription',
  tableName: 'webhook_subscriptions',
  properties: {
    id: p.uuid().primary(),
    url: p.string().length(2_000),
    types: p.array(),
    events: p.array(),
    /** Lazy, so that no read selects it. */
    secret: p.string().length(120).lazy(),
    active: p.boolean().default(true),
    createdAt: p
      .datetime(3)
      .defaultRaw('now()')
      .onCreate(() => new Date()),
  },
})

export class WebhookSubscription extends schema.class {}

schema.setClass(WebhookSubscription)
