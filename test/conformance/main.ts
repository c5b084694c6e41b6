import { StartupError } from '#store'
import { readArguments } from '../../scripts/support/arguments.ts'
import { reportErrors } from '../../scripts/support/project.ts'
import { formatTable } from '../../scripts/support/table.ts'
import { withAppUnderTest } from './app-under-test.ts'
import { proveDenials } from './denials.ts'
import { prove } from './prove.ts'

const usage = `npm run prove -- [type …]

Checks the rules on all types of the application, or on the named ones; it needs only their declarations.`

const { positionals: names } = readArguments({ usage, positionals: Number.POSITIVE_INFINITY })

await reportErrors(async () => {
  const startedAt = performance.now()
  const { counts, faults, unchecked } = await withAppUnderTest({}, async (subject, surroundings) => {
    checkNames(names, [...subject.app.registry.types.keys()])
    const prover = await prove(subject, names, progress)
    await proveDenials(surroundings, prover, names, progress)
    return prover
  })
  progress('')
  const shown = [...counts].filter(([type]) => names.length === 0 || names.includes(type))
  const rows = shown.map(([type, held]) => [type, `${held}`, `${faults.filter((fault) => fault.type === type).length}`])
  console.log(formatTable([['RESOURCE', 'HELD', 'FAULTS'], ...rows]))
  for (const { rule, url, message } of faults) console.log(`\n${url}\n  ${rule}\n  ${message}`)
  for (const { url, reason } of unchecked) console.log(`\n${url}\n  No rule about rows is checked: ${reason}.`)
  const total = [...counts.values()].reduce((sum, held) => sum + held, 0)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${total} times a rule held, ${faults.length} times it did not, in ${seconds} s.`)
  if (faults.length > 0) process.exitCode = 1
})

function checkNames(sent: readonly string[], accepted: readonly string[]): void {
  const unknown = sent.find((name) => !accepted.includes(name))
  if (unknown !== undefined) throw new StartupError(`There is no type '${unknown}'. Types: ${accepted.join(', ')}.`)
}

/** Overwrites one line on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
