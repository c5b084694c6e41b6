import { createRandomSource } from '#test/conformance/random.ts'
import { readCorpus } from '#test/template/proofs/fuzz/corpus.ts'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { reportErrors } from '../../../../scripts/support/project.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { compareRound } from './compare-round.ts'
import { drawSequence } from './draw-sequence.ts'
import { pathNames } from './path-names.ts'
import { withPaths } from './paths.ts'
import { describeDifference } from './report.ts'
import { library, project } from './subjects.ts'

const usage = `npm run template -- prove paths [options]

Sends the same random requests to the application on every path, and compares all responses and tables.

  --requests n    default: 1000
  --seed n        repeats a run
  --paths a,b     of ${pathNames.join(', ')}
  --library       the types of the tests instead of those of the project`

const { values } = readArguments({
  usage,
  options: {
    requests: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    paths: { type: 'string', default: pathNames.join() },
    library: { type: 'boolean', default: false },
  },
})

/** Requests of a round. Each round starts with the rows of the seeds and has its own seed. */
const perRound = 250

await reportErrors(async () => {
  const [requests, seed] = [Number(values.requests), Number(values.seed)]
  const subject = values.library ? library : project
  const names = pathNames.filter((name) => values.paths.split(',').includes(name) && subject.paths.includes(name))
  const statuses = new Map<string, number>()
  const startedAt = performance.now()
  let differences = 0
  let pathCount = 0
  await withPaths(subject, names, async (reference, others) => {
    pathCount = others.length
    await reference.reset()
    const corpus = await readCorpus(reference.app, reference.send)
    for (let sent = 0, round = seed; sent < requests && differences < 5; sent += perRound, round++) {
      const count = Math.min(perRound, requests - sent)
      const drawn = drawSequence(corpus, createRandomSource(round), count)
      const found = await compareRound({ requests: drawn, reference, others })
      for (const status of found.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      differences += found.differences.length
      const options = `--requests ${count} --seed ${round}${values.library ? ' --library' : ''}`
      for (const difference of found.differences) console.log(describeDifference(difference, options))
    }
  })
  const rows = [...statuses].sort(([one], [other]) => Number(one) - Number(other))
  console.log(formatTable([['STATUS', 'RESPONSES'], ...rows.map(([status, count]) => [status, `${count}`])]))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const compared = [...statuses.values()].reduce((sum, count) => sum + count, 0) * pathCount
  console.log(
    `\n${requests} requests of seed ${seed} in ${seconds} s: ${compared} responses compared, ${differences} differ.`,
  )
  if (differences > 0) process.exitCode = 1
})
