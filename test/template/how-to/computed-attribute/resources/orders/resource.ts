import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { aggregatesOf, orderProvider } from './aggregates.ts'
import { Order } from './entity.ts'

export default defineResource(Order, {
  type: 'orders',
  fields: ({ id, string, integer, decimal, hasMany }) => [
    id(),
    string('firstName').required().maxLength(100),
    string('lastName').required().maxLength(100),
    string('customer')
      .computedUsing(({ firstName, lastName }) => `${firstName} ${lastName}`)
      .needs('firstName', 'lastName'),
    integer('lineCount')
      .computedUsing((order) => aggregatesOf(order).lineCount)
      .needs(),
    decimal('total')
      .computedUsing((order) => aggregatesOf(order).total)
      .needs(),
    hasMany('lines', 'order-lines').countable(),
  ],
  provider: orderProvider,
  policy: open,
})
