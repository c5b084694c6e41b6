import type { TestApp } from '#test/support/app.ts'
import { sendBatch, update } from '#test/support/batch.ts'
import { closeTestDatabase } from '#test/support/database.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { withPostgres } from '../../../../scripts/support/postgres.ts'
import { formatTable } from '../../../../scripts/support/table.ts'

readArguments({
  usage: `npm run template -- prove batches

Measures batches of two updates from 20 clients, all in the same order and half of them in the opposite order. Fails if
opposite batches have less than half of the throughput: then they deadlock.`,
})

const clients = 20
const seconds = 8
const minRatio = 0.5

const updates = ['1', '2'].map((id) => update({ type: 'books', id }, { position: 1 }))

process.exitCode = await withPostgres(async (databaseUrl) => {
  process.env.DATABASE_URL = databaseUrl
  process.env.TEST_RUN ??= String(process.pid)
  const app = await startLibrary()
  try {
    await fillLibrary()
    await measure(app, () => updates, 1) // warm-up
    const equal = await measure(app, () => updates)
    const opposite = await measure(app, (client) => (client % 2 ? updates : updates.toReversed()))
    console.log(
      formatTable([
        ['ORDER', 'STATUS 200', 'OTHERS', 'P50', 'P99'],
        ['equal', ...equal.row],
        ['opposite', ...opposite.row],
      ]),
    )
    const ratio = opposite.succeeded / equal.succeeded
    console.log(`\nOpposite batches have ${ratio.toFixed(2)} of the throughput of equal ones (at least ${minRatio}).`)
    return ratio >= minRatio && opposite.failed === 0 ? 0 : 1
  } finally {
    await app.close()
    await closeTestDatabase()
  }
})

async function measure({ client }: TestApp, batchOf: (client: number) => readonly object[], duration = seconds) {
  const end = performance.now() + duration * 1000
  const times: number[] = []
  let failed = 0
  const run = async (_: unknown, index: number) => {
    while (performance.now() < end) {
      const startedAt = performance.now()
      const { status } = await sendBatch(client, batchOf(index))
      if (status === 200) times.push(performance.now() - startedAt)
      else failed++
    }
  }
  await Promise.all(Array.from({ length: clients }, run))
  const sorted = times.toSorted((one, other) => one - other)
  const percentile = (part: number) => `${Math.round(sorted[Math.floor(part * sorted.length)] ?? 0)} ms`
  return { succeeded: times.length, failed, row: [`${times.length}`, `${failed}`, percentile(0.5), percentile(0.99)] }
}
