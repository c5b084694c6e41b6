import { closeLibrary } from '#test/template/support/library/index.ts'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'
import { reportErrors } from '../../../../scripts/support/project.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { casesPerSeed, checkRule, type Violation } from './check-rule.ts'
import { ruleNames } from './rules/index.ts'
import { startMetamorphicService } from './service.ts'

const usage = `npm run template -- prove metamorphic [options]

Checks rules that relate several responses, over random rows and queries, on a PostgreSQL server.

  --cases n     cases of each rule; default: 200
  --seed n      repeats a run
  --rules a,b   of ${ruleNames.join(', ')}
  --embedded    on the embedded database`

const { values } = readArguments({
  usage,
  options: {
    cases: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rules: { type: 'string', default: ruleNames.join() },
    embedded: { type: 'boolean', default: false },
  },
})

await reportErrors(async () => {
  const names = ruleNames.filter((name) => values.rules.split(',').includes(name))
  const run = () => checkRules(names, Number(values.cases), Number(values.seed))
  if (values.embedded) return run()
  await withTestPostgres((databaseUrl) => {
    process.env.DATABASE_URL = databaseUrl
    return run()
  })
})

async function checkRules(names: readonly (typeof ruleNames)[number][], cases: number, seed: number): Promise<void> {
  const service = await startMetamorphicService()
  const startedAt = performance.now()
  const violations: Violation[] = []
  try {
    for (const rule of names) {
      for (let number = 0; number < cases / casesPerSeed(rule); number++) {
        const violation = await checkRule(rule, seed + number, service.sendFor(rule))
        if (!violation) continue
        violations.push(violation)
        console.log(describe(violation))
        break
      }
    }
  } finally {
    await service.close()
    await closeLibrary()
  }
  const violated = new Set(violations.map(({ rule }) => rule))
  console.log(
    formatTable([['RULE', 'RESULT'], ...names.map((name) => [name, violated.has(name) ? 'violated' : 'holds'])]),
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${cases} cases of each rule from seed ${seed} in ${seconds} s: ${violations.length} rules violated.`)
  if (violations.length > 0) process.exitCode = 1
}

function describe({ rule, seed, message, requests }: Violation): string {
  const repeat = `npm run template -- prove metamorphic --rules ${rule} --cases ${casesPerSeed(rule)} --seed ${seed}`
  return [`\n${rule}: ${message.slice(0, 3_000)}`, ...requests.slice(-12), `Repeat: ${repeat}`, ''].join('\n')
}
