import { createRandomSource } from '#test/conformance/random.ts'
import { readArguments, readInteger } from '../../../../scripts/support/arguments.ts'
import { reportErrors } from '../../../../scripts/support/project.ts'
import { withEmbedded, withPooledServer, withServer } from './deployments.ts'
import { runLive } from './run-live.ts'

const usage = `npm run template -- prove live [options]

Follows the collections of every requester of the leak matrix as streams, while rows change at random, processes are killed,
connections are closed, and policies change. Compares what the clients have with the collections. Runs a second time without
changes of policies and without reads of whole collections, so that only the change log tells the streams what to read.

  --writes n   committed transactions of each run; default: 2000
  --kills n    kills of each run; default: 10
  --embedded   one process on the embedded database; default: two processes on a PostgreSQL server
  --pooler     two processes behind PgBouncer in transaction mode
  --seed n     repeats the random choices of a run`

const { values } = readArguments({
  usage,
  options: {
    writes: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '10' },
    embedded: { type: 'boolean', default: false },
    pooler: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [writes, kills, seed] = [values.writes, values.kills, values.seed].map((text, index) =>
  readInteger(['writes', 'kills', 'seed'][index] as string, text, usage),
) as [number, number, number]
const withDeployment = values.embedded ? withEmbedded : values.pooler ? withPooledServer : withServer

await reportErrors(async () => {
  for (const changesPolicies of [true, false]) await prove(changesPolicies)
})

async function prove(changesPolicies: boolean): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const onProgress = (line: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${seconds()} s: ${line}`)
  }
  const options = { seed, writes, kills, changesPolicies, patience: 60, onProgress }
  const environment = { RECHECK: changesPolicies ? '2' : '3600' }
  const { committed, failed, events, streams, collections, violations } = await withDeployment(
    environment,
    createRandomSource(seed + 1),
    (deployment) => runLive(deployment, options),
  )
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  for (const violation of violations.slice(0, 20)) console.log(violation)
  const { snapshots, resumed, refused } = streams
  console.log(`${changesPolicies ? 'Policies change' : 'Policies do not change'}: ${collections} collections; \
${committed} transactions committed, ${failed} failed; ${events} events; \
streams: ${snapshots} with a snapshot, ${resumed} resumed, ${refused} refused.
${violations.length} violations with seed ${seed}, in ${seconds()} s.`)
  if (violations.length > 0) process.exitCode = 1
}
