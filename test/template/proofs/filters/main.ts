import { closeLibrary } from '#test/template/support/library/index.ts'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'
import { reportErrors } from '../../../../scripts/support/project.ts'
import { checkExpressions, requesters } from './check-expressions.ts'

const usage = `npm run template -- prove filters [options]

Compares the rows that random filter expressions return with an evaluation in memory, for requesters that may see different
rows, over random rows on a PostgreSQL server.

  --expressions n  the number of expressions; default: 1000
  --seed n         repeats a run
  --embedded       on the embedded database`

const { values } = readArguments({
  usage,
  options: {
    expressions: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    embedded: { type: 'boolean', default: false },
  },
})

await reportErrors(async () => {
  const run = () => proveExpressions(Math.ceil(Number(values.expressions) / requesters.length), Number(values.seed))
  if (values.embedded) return run()
  await withTestPostgres((databaseUrl) => {
    process.env.DATABASE_URL = databaseUrl
    return run()
  })
})

async function proveExpressions(count: number, seed: number): Promise<void> {
  const startedAt = performance.now()
  let failures = 0
  try {
    for (const requester of requesters) {
      const findings = await checkExpressions(requester, count, seed)
      failures += findings.length
      console.log(`${requester.title}: ${findings.length === 0 ? 'holds' : findings.join('\n')}`)
    }
  } finally {
    await closeLibrary()
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${count} expressions for each of ${requesters.length} requesters from seed ${seed} in ${seconds} s.`)
  if (failures > 0) process.exitCode = 1
}
