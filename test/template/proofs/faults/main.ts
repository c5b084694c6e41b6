import { closeTestDatabase } from '#test/support/database.ts'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { type Finding, findFaults } from './find-faults.ts'

const usage = `npm run template -- prove faults [options]

Fails every driver call of every request of the catalogue, once per fault, on a PostgreSQL server and on the embedded
database.

  --short           two faults per call, chosen by the seed
  --seed n          default: 1
  --server          only on a PostgreSQL server
  --embedded        only on the embedded database
  --only name       only the request of this name
  --call n          only this call
  --fault name      only this fault`

const { values } = readArguments({
  usage,
  options: {
    short: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    call: { type: 'string' },
    fault: { type: 'string' },
  },
})
process.env.TEST_RUN ??= String(process.pid)
const options = {
  isShort: values.short,
  seed: Number(values.seed),
  only: values.only,
  call: values.call === undefined ? undefined : Number(values.call),
  fault: values.fault,
  progress,
}
const runsBoth = values.embedded === values.server
const findings: Finding[] = []

if (runsBoth || values.server) {
  await withTestPostgres(async (databaseUrl) => {
    process.env.DATABASE_URL = databaseUrl
    await report('server')
    delete process.env.DATABASE_URL
  })
}
if (runsBoth || values.embedded) await report('embedded')
process.exitCode = findings.length > 0 ? 1 : 0

async function report(database: 'server' | 'embedded'): Promise<void> {
  const startedAt = performance.now()
  const { counts, found } = await findFaults(options).finally(closeTestDatabase)
  progress('')
  findings.push(...found)
  const rows = counts.map(({ name, calls, points, violations }) => [name, `${calls}`, `${points}`, `${violations}`])
  console.log(formatTable([[`REQUEST (${database})`, 'CALLS', 'POINTS', 'VIOLATIONS'], ...rows]))
  for (const { point, text, problems } of found) {
    const { request, call, fault } = point
    console.log(`\n${request.name}, call ${call} (${text || 'prepared statement'}), ${fault}`)
    for (const problem of problems) console.log(`  ${problem}`)
    console.log(
      `  npm run template -- prove faults --${database} --only '${request.name}' --call ${call} --fault '${fault}'`,
    )
  }
  const points = counts.reduce((sum, count) => sum + count.points, 0)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${points} points, ${found.length} violations, in ${seconds} s (${database}, seed ${options.seed}).\n`)
}

/** Overwrites one line on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
