import { markAsApplied } from '#store'
import { readArguments } from './support/arguments.ts'
import { findBaseline } from './support/baseline.ts'
import { reportErrors, withProject } from './support/project.ts'

const usage = `npm run migrate -- baseline
npm run migrate -- baseline 20260101000000_people
npm run migrate -- baseline --dry-run

Marks pending migrations as applied without running them: those whose tables all exist in the database, or the named ones.
Writes only to the table of the applied migrations.`

const { values, positionals } = readArguments({
  usage,
  options: { 'dry-run': { type: 'boolean' } },
  positionals: Number.POSITIVE_INFINITY,
})

await reportErrors(async () => {
  await withProject(async ({ database }) => {
    const { existing, left } = await findBaseline(database, positionals)
    if (!values['dry-run']) await markAsApplied(database, existing)
    for (const name of existing) console.log(`${values['dry-run'] ? 'Would mark' : 'Marked'} ${name} as applied.`)
    if (existing.length === 0) console.log('Nothing to mark: no pending migration creates only tables that exist.')
    for (const { name, reason } of left) console.log(`Left ${name} pending: ${reason}.`)
    if (left.length > 0) console.log('npm run migrate, or npm start, applies them.')
  })
})
