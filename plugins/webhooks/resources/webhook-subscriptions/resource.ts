import { defineResource } from '#kernel/plugin'
import { WebhookPolicy } from '../policy.ts'
import { WebhookSubscription } from './entity.ts'

const kinds = ['created', 'updated', 'deleted', 'restored', 'related']

export default defineResource(WebhookSubscription, {
  type: 'webhook-subscriptions',
  server: 'admin',
  fields: ({ id, string, boolean, arrayList, dateTime }) => [
    id().uuid(7).generated(),
    string('url')
      .required()
      .maxLength(2_000)
      .pattern(/^https?:\/\/[^\s@]+$/),
    arrayList('types')
      .required()
      .each((name) => name.pattern(/^[a-zA-Z0-9-]+$/)),
    arrayList('events')
      .required()
      .each((kind) => kind.in(kinds)),
    string('secret')
      .required()
      .writeOnly()
      .maxLength(120)
      .pattern(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/),
    boolean('active'),
    dateTime('createdAt').readOnly(),
  ],
  policy: WebhookPolicy,
})
