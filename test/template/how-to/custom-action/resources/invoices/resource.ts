import { defineResource } from '#kernel'
import { Invoice } from './entity.ts'
import { InvoicePolicy } from './policy.ts'

export default defineResource(Invoice, {
  type: 'invoices',
  fields: ({ id, string, dateTime }) => [
    id(),
    string('number').required().maxLength(20),
    string('status').readOnly(),
    dateTime('sentAt').readOnly(),
  ],
  policy: InvoicePolicy,
})
