import { defineResource, type Principal } from '#kernel/plugin'
import { WebhookPolicy } from '../policy.ts'
import { WebhookDelivery } from './entity.ts'

/** The role `admin` sees the deliveries of webhooks and sends them again. */
class DeliveryPolicy extends WebhookPolicy {
  override scope = ((principal: Principal | null) =>
    principal?.roles.includes('admin') === true && { consumer: 'webhooks' }) as never
  resend = (principal: Principal | null): boolean => principal?.roles.includes('admin') === true
}

export default defineResource(WebhookDelivery, {
  type: 'webhook-deliveries',
  server: 'admin',
  readOnly: true,
  fields: ({ id, string, integer, arrayHash, dateTime }) => [
    id(),
    string('subscriptionId').storedAs('receiver').readOnly(),
    string('sequence').readOnly(),
    arrayHash('payload').readOnly(),
    string('state').readOnly(),
    integer('attempts').readOnly(),
    string('error').readOnly(),
    dateTime('dueAt').readOnly(),
    dateTime('createdAt').readOnly().sortable(),
    dateTime('finishedAt').readOnly(),
  ],
  filters: ({ where }) => [where('state'), where('subscriptionId', 'receiver')],
  policy: DeliveryPolicy,
})
