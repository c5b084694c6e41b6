import { defineError } from '#kernel'
import { data, defineAction } from '#plugins/actions/index.ts'
import { Invoice } from '../entity.ts'

const alreadySent = defineError(
  'INVOICE_SENT',
  409,
  'Already sent',
  'Invoice {number} is sent. Only a draft can be sent.',
)

export default defineAction(Invoice, {
  answers: 'data',
  errors: [alreadySent],
  asLink: true,
  description: 'Marks a draft as sent. A sent invoice is a 409.',

  handle({ subject: invoice }) {
    if (invoice.status !== 'draft') throw alreadySent({ number: invoice.number })
    invoice.status = 'sent'
    invoice.sentAt = new Date()
    return data(invoice)
  },
})
