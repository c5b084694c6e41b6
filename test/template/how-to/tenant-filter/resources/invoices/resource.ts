import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Invoice } from './entity.ts'

export default defineResource(Invoice, {
  type: 'invoices',
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('number').required().maxLength(20).sortable(),
    belongsTo('customer', 'customers'),
  ],
  filters: ({ whereThrough }) => [whereThrough('customer', 'customer.name')],
  policy: open,
})
