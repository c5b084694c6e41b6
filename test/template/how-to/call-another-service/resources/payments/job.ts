import { defineJob } from '#plugins/async-writes/index.ts'
import { Payment } from './entity.ts'

interface Charge {
  readonly paymentId: string
  readonly amount: number
}

/** Milliseconds until a call fails. */
const timeout = 10_000

export const chargePayment = defineJob<Charge>('charge-payment', async ({ paymentId, amount }, job) => {
  const response = await fetch(`${process.env.PAYMENT_SERVICE_URL}/charges`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': paymentId },
    body: JSON.stringify({ amount }),
    signal: AbortSignal.any([job.signal, AbortSignal.timeout(timeout)]),
  })
  await response.body?.cancel()
  if (response.status === 429 || response.status >= 500) throw new Error(`The service returned ${response.status}.`)

  await job.finish(async ({ em }) => {
    const status = response.ok ? 'paid' : 'declined'
    await em.nativeUpdate(Payment, { id: paymentId, status: 'pending' }, { status })
  })
})
