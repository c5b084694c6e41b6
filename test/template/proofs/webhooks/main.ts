import { readArguments } from '../../../../scripts/support/arguments.ts'
import { reportErrors } from '../../../../scripts/support/project.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { runWebhooks } from './run-webhooks.ts'

const usage = `npm run template -- prove webhooks [options]

Kills a process again and again, and makes the receiver of webhooks unavailable, while clients write. Compares the
events and the calls of a listener with the change log: all arrived, in order for each resource, with valid signatures.

  --kills n   default: 10
  --down n    seconds for which the receiver refuses connections; default: 60
  --calm n    seconds without a fault before, in which every event must arrive once; default: 8
  --pooler    behind PgBouncer in transaction mode
  --embedded  one process on the embedded database; default: two processes on a PostgreSQL server
  --seed n    repeats the random choices of a run`

const { values } = readArguments({
  usage,
  options: {
    kills: { type: 'string', default: '10' },
    down: { type: 'string', default: '60' },
    calm: { type: 'string', default: '8' },
    pooler: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

await reportErrors(async () => {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const { changes, acknowledged, receivers, violations, verified } = await runWebhooks({
    seed: Number(values.seed),
    kills: Number(values.kills),
    downSeconds: Number(values.down),
    calmSeconds: Number(values.calm),
    database: values.embedded ? 'embedded' : values.pooler ? 'pooled' : 'server',
    onProgress: (line) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${seconds()} s: ${line}`)
    },
  })
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  const rows = receivers.map(({ name, expected, arrived, missing, foreign, disordered, repeated }) =>
    [name, expected, arrived, missing.length, foreign.length, disordered.length, repeated].map(String),
  )
  const head = ['RECEIVER', 'CHANGES', 'ARRIVED', 'MISSING', 'FOREIGN', 'DISORDERED', 'REPEATED']
  console.log(formatTable([head, ...rows]))
  for (const violation of violations.slice(0, 20)) console.log(violation)
  console.log(`\n${changes} changes, ${acknowledged} acknowledged; ${verified}.`)
  console.log(`${violations.length} violations with seed ${values.seed}, in ${seconds()} s.`)
  if (violations.length > 0) process.exitCode = 1
})
