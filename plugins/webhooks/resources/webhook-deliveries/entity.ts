import { defineEntity, p } from '@mikro-orm/core'

/** The deliveries of the change log; those of webhooks are resources. */
const schema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'change_deliveries',
  properties: {
    id: p.bigint('string').primary(),
    consumer: p.text(),
    receiver: p.text(),
    sequence: p.bigint('string'),
    payload: p.json(),
    state: p.text(),
    attempts: p.integer(),
    dueAt: p.datetime(3),
    error: p.text().nullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
})

export class WebhookDelivery extends schema.class {}

schema.setClass(WebhookDelivery)
