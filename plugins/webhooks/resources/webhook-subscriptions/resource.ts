import { defineResource } from '#kernel/plugin'
import { changeKinds } from '#plugins/change-log/index.ts'
import { WebhookPolicy } from '../policy.ts'
import { WebhookSubscription } from './entity.ts'

const secretForm = /^whsec_(?=.{32,88}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function isAddressed(text: string): boolean {
  const url = /\s/.test(text) ? null : URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

export default defineResource(WebhookSubscription, {
  type: 'webhook-subscriptions',
  server: 'admin',
  fields: ({ id, string, boolean, arrayList, dateTime }) => [
    id().uuid(7).generated(),
    string('url')
      .required()
      .maxLength(2_000)
      .rule((url) =>
        isAddressed(url) ? undefined : "'url' must be an http: or https: URL with a valid host, without a user name.",
      ),
    arrayList('types')
      .required()
      .maxItems(100)
      .uniqueItems()
      .each((name) => name.pattern(/^[a-zA-Z0-9-]+$/)),
    arrayList('events')
      .required()
      .uniqueItems()
      .each((kind) => kind.in(changeKinds)),
    string('secret')
      .required()
      .writeOnly()
      .maxLength(120)
      .rule((secret) =>
        secretForm.test(secret) ? undefined : "'secret' must be whsec_ and 24 to 64 bytes in Base64.",
      ),
    boolean('active'),
    dateTime('createdAt').readOnly(),
  ],
  policy: WebhookPolicy,
})
