import { readArguments } from '../../../../scripts/support/arguments.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { sessionGuarantees } from './check-sessions.ts'
import { anomalyKinds } from './history.ts'
import { runLevels } from './run-levels.ts'
import { runSessions } from './run-sessions.ts'

const usage = `npm run template -- prove isolation [options]

Records histories of concurrent clients over HTTP and checks them. Exits with 1 for an excluded anomaly.

  --operations n  default: 20000
  --seed n        repeats the random choices of a run
  --embedded      one process with the embedded database instead of two with a PostgreSQL server
  --sessions      read-your-writes and monotonic reads with a replica, with failures`

const { values } = readArguments({
  usage,
  options: {
    operations: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    embedded: { type: 'boolean', default: false },
    sessions: { type: 'boolean', default: false },
  },
})
const startedAt = performance.now()
const seed = Number(values.seed)

interface Row {
  readonly title: string
  readonly transactions: number
  readonly operations: number
  readonly counts: Readonly<Record<string, number>>
  readonly mayOccur: readonly string[]
  readonly violations: readonly { readonly seed: number; readonly text: string }[]
}

if (values.sessions) report([...anomalyKinds, ...sessionGuarantees], await sessionRows())
else report(anomalyKinds, await levelRows())

async function levelRows(): Promise<Row[]> {
  const onProgress = (operations: number) => progress(`${operations} operations`)
  const options = { operations: Number(values.operations), seed, embedded: values.embedded, onProgress }
  const results = await runLevels(options)
  return results.map(({ level, ...result }) => ({ title: level.description, mayOccur: level.mayOccur, ...result }))
}

async function sessionRows(): Promise<Row[]> {
  const results = await runSessions({ rounds: Math.ceil(Number(values.operations) / 2_000), seed })
  return results.map(({ failure, ...result }) => ({ title: failure.name, mayOccur: failure.mayOccur, ...result }))
}

function report(kinds: readonly string[], rows: readonly Row[]): void {
  progress('')
  const cells = rows.map(({ title, transactions, counts, mayOccur }) => [
    title,
    `${transactions}`,
    ...kinds.map((kind) => `${counts[kind] ?? 0}${mayOccur.includes(kind) ? '*' : ''}`),
  ])
  console.log(formatTable([['CLIENTS AND FAILURES', 'TRANSACTIONS', ...kinds], ...cells]))
  console.log('* may occur; see docs/concurrency.md')
  const violations = rows.flatMap((row) => row.violations)
  for (const { seed, text } of violations.slice(0, 5)) console.log(`\nSeed ${seed}: ${text}`)
  const operations = rows.reduce((sum, row) => sum + row.operations, 0)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${operations} operations of seed ${seed}, ${violations.length} excluded anomalies, in ${seconds} s.`)
  if (violations.length > 0) process.exitCode = 1
}

/** Overwrites one line on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
