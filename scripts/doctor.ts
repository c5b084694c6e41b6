import { liveSkipped } from './doctor/live-sections.ts'
import { declarationSections, schemaSections } from './doctor/project-sections.ts'
import { checkSchema } from './doctor/schema-findings.ts'
import { countFaults, countFindings, formatSection, isPrinted, summarize } from './doctor/section.ts'
import { readArguments } from './support/arguments.ts'
import { withApp } from './support/project.ts'

const usage = `npm run doctor -- [--strict] [--json]

Checks the project: faults that prevent the start, declarations without effect, types without a policy, migrations,
columns that the database lacks, missing indexes and formats that lose a part of the stored time. Checks the statistics
of its database: unused indexes, sequential scans of large tables, tables without vacuum or analyze, sequences near their
end, and statements by total time with the routes that send them. Changes nothing.

  --strict  exit with 1 also if there is a warning
  --json    print one JSON document

Exit codes: 0 if there is no fault, 1 if there is a fault or the application cannot start.`

const { strict: isStrict, json: isJson } = readArguments({
  usage,
  options: { strict: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
}).values

await withApp(async (app, config, discovery) => {
  const counts = { types: app.registry.types.size, plugins: app.plugins.length }
  const types = counts.types === 1 ? '1 type' : `${counts.types} types`
  if (!isJson) console.log(`The application would start: ${types}, ${counts.plugins} plugins.\n`)
  const found = await checkSchema(app, config, discovery)
  const sections = [...declarationSections(app), ...schemaSections(found), ...(found.live ?? [])]
  const faults = countFaults(sections, isStrict)
  if (faults > 0) process.exitCode = 1
  if (isJson) {
    const warnings = countFindings(sections, 'warning')
    console.log(JSON.stringify({ ...counts, faults, warnings, isLive: found.live !== null, sections }, null, 2))
    return
  }
  for (const section of sections.filter(isPrinted)) console.log(formatSection(section))
  if (found.live === null) console.log(`${liveSkipped}\n`)
  console.log(summarize(sections, isStrict))
})
