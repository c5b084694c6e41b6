import { defineResource } from '#kernel'
import { enqueue } from '#plugins/async-writes/index.ts'
import { open } from '#plugins/authorization/index.ts'
import { Payment } from './entity.ts'
import { chargePayment } from './job.ts'

export default defineResource(Payment, {
  type: 'payments',
  fields: ({ id, integer, string }) => [
    id().uuid().allowClientId().generated(),
    integer('amount').required().min(1),
    string('status').readOnly(),
  ],
  operations: ['Create', 'FetchOne'],
  job: chargePayment,
  beforeCreate: async ({ id, amount }, { context }) => {
    await enqueue(chargePayment, { paymentId: id, amount }, context)
  },
  policy: open,
})
