import { readArguments } from '../../../../scripts/support/arguments.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { assess } from './assess.ts'
import { runEndurance } from './run-endurance.ts'

const usage = `npm run template -- prove endurance [options]

Mixed load with 2 % faults on two processes. Exits with 1 for lost or repeated writes, unexpected responses and leaks.

  --minutes n  default: 30
  --seed n     repeats the random choices of a run`

const { values } = readArguments({
  usage,
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
/** Shorter runs print heap and response times, which decide nothing. */
const isLong = minutes >= 20
const result = await runEndurance({ minutes, seed, onProgress: (at) => progress(`${at.toFixed(1)} minutes`) })
progress('')
const findings = assess(result)
const rows = findings.map(({ name, value, limit, holds, needsLongRun }) => [
  holds ? 'holds' : needsLongRun && !isLong ? 'open' : 'FAILS',
  name,
  value,
  limit,
])
console.log(formatTable([['RESULT', 'MEASURED', 'VALUE', 'LIMIT'], ...rows]))
const { requests, faults, writes, replayed, unavailable } = result.counts
console.log(
  `\n${requests} requests of seed ${seed} in ${minutes} minutes: ${writes} writes acknowledged, ${faults} faults, ` +
    `${replayed} stored responses sent again, ${unavailable} × 503.`,
)
const { samples } = result
console.log(`p99 of each sample in ms: ${samples.map(({ p99 }) => Math.round(p99)).join(', ')}`)
console.log(`CPU time that other machines took, in %: ${samples.map(({ stolen }) => Math.round(stolen)).join(', ')}`)
for (const failure of result.failures.slice(0, 20)) console.log(failure)
if (rows.some(([result]) => result === 'FAILS')) process.exitCode = 1

/** Overwrites one line on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
